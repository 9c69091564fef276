// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of clauses with several fields. The table of clauses,
// AMPClauses.td, lists the fields.
#ifndef MPC_DIALECTS_AMP_AMPCLAUSEATTRS_TD
#define MPC_DIALECTS_AMP_AMPCLAUSEATTRS_TD

include "dialects/AMP/AMPDialect.td"

// Fields by name. The field `name` comes first and is written as a word alone.
// A flag field is written as its name alone, any other as `name = value`.
class AMP_FieldsAttr<string className, string clause>
    : AttrDef<AMP_Dialect, className> {
  let mnemonic = clause;
  let parameters = (ins "::mlir::DictionaryAttr":$fields);
  let hasCustomAssemblyFormat = 1;
  code accessors = [{
    static constexpr ::llvm::StringLiteral kClause = "}] # clause # [{";
    /// Null where the field is not set.
    ::mlir::Attribute find(::llvm::StringRef field) const {
      return getFields().get(field);
    }
    /// The field `name`; empty where it is not set.
    ::llvm::StringRef getName() const {
      auto name = getFields().getAs<::mlir::StringAttr>("name");
      return name ? name.getValue() : "";
    }
    /// The fields that are numbers, and the names of the flag fields that are
    /// on.
    ::mlir::DictionaryAttr getNumbers() const;
    ::llvm::SmallVector<::llvm::StringRef> getFlags() const;
  }];
  let extraClassDeclaration = accessors;
}

// The groups of a recipe, each a dictionary of its fields.
def AMP_GroupArrayAttr
    : TypedArrayAttrBase<DictionaryAttr, "array of groups of parameters"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

def AMP_LossAttr : AMP_FieldsAttr<"Loss", "loss"> {
  let summary = "Which loss is taken of the model";
  let description = [{
    ```mlir
    #amp.loss<cross_entropy, of = "logits", reduction = sum, ignore_index = 3>
    ```
  }];
}

def AMP_LossScaleAttr : AMP_FieldsAttr<"LossScale", "loss_scale"> {
  let summary = "The loss-scale policy with its settings";
  let description = [{
    ```mlir
    #amp.loss_scale<dynamic, growth_interval = 1000.0>
    ```
  }];
}

def AMP_OptimizerAttr : AMP_FieldsAttr<"Optimizer", "optimizer"> {
  let summary = "The optimizer's rule with hyper-parameters and flags";
  let description = [{
    ```mlir
    #amp.optimizer<sgd, momentum = 0.9, nesterov>
    ```
  }];
}

def AMP_ClipAttr : AMP_FieldsAttr<"Clip", "clip"> {
  let summary = "What clipping bounds, and by how much";
  let description = [{
    ```mlir
    #amp.clip<global = 1.0, order = torch>
    ```
  }];
  let extraClassDeclaration = accessors # [{
    ClipKind getKind() const;
    double getBound() const;
    /// Whether the norm of all gradients is summed as PyTorch does on a CPU.
    bool isTorchNorm() const;
    bool isScaled() const { return static_cast<bool>(find("scaled")); }
  }];
}

def AMP_LarcAttr : AMP_FieldsAttr<"Larc", "larc"> {
  let summary = "Layer-wise rates in place of clipping";
  let description = [{
    ```mlir
    #amp.larc<apex_clip, eta = 0.01>
    ```
  }];
  let extraClassDeclaration = accessors # [{
    /// Whether the rates are at most 1; and whether they follow Apex, which
    /// includes weight decay.
    bool isClipped() const;
    bool isApex() const;
    /// The value as given, else the default of the system that the rule comes
    /// from.
    double getEta() const;
    double getMinUpdate() const;
    double getEps() const;
  }];
}

#endif // MPC_DIALECTS_AMP_AMPCLAUSEATTRS_TD
