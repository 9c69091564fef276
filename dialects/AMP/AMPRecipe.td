// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp.recipe, generated from the table of clauses. Its methods are in
// Ops/Recipe.cpp.
#ifndef MPC_DIALECTS_AMP_AMPRECIPE_TD
#define MPC_DIALECTS_AMP_AMPRECIPE_TD

include "dialects/AMP/AMPClauses.td"

// A row of the reference.
class AMP_Described<AMP_Entry row> {
  defvar isField = !ne(row.key, "");
  string text = "\n    | `" # row.clause # "` | " #
                !if(isField, "`" # row.key # "`", "") # " | " # row.means #
                " |";
}

def AMP_RecipeOp : AMP_Op<"recipe", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "How a model is computed and trained";
  let description = [{
    A module has at most one. `amp-prepare-model`, `amp-build-step`,
    `amp-count-underflow` and `amp-lower-state` do what it says; the last of them
    erases it. Clauses come in any order, and one that is left out has its
    default. Patterns are ECMAScript regular expressions.

    ```mlir
    amp.recipe loss<cross_entropy, label_smoothing = 0.1> precision(fp16)
               loss_scale<dynamic, growth_interval = 1000.0>
               optimizer<sgd, momentum = 0.9, nesterov> no_decay(["bias$"])
               clip<global = 1.0, order = torch>
    ```

    A clause with fields is written as `clause<word, field = value, field>`: its
    field `name` is the word, and a field that is on or off is its name alone.

    | clause | field | means |
    |---|---|---|}] # !foldl("", AMP_ValueList, text, row,
                             text # AMP_Described<row>.text) # "\n  ";
  let arguments = !dag(ins, !foreach(row, AMP_ClauseList, row.attribute),
                       !foreach(row, AMP_ClauseList, row.clause));
  let builders = [OpBuilder<(ins)>];
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// A field of a clause with several fields; null where it is not set.
    ::mlir::Attribute getField(::llvm::StringRef clause,
                               ::llvm::StringRef key);
    /// Sets the field; a null value removes it.
    void setField(::llvm::StringRef clause, ::llvm::StringRef key,
                  ::mlir::Attribute value);
    void setField(::llvm::StringRef clause, ::llvm::StringRef key,
                  double number);
    /// Sets a field that is a word.
    void setWord(::llvm::StringRef clause, ::llvm::StringRef key,
                 ::llvm::StringRef word);

    /// The name of the loss-scale policy, and its settings as given.
    ::llvm::StringRef getPolicy();
    ::mlir::DictionaryAttr getSettings();
    ::mpc::rt::PolicyKind getPolicyKind();
    /// Every setting that the policy reads: the given value, else the default.
    ::mpc::rt::Settings getAllSettings();
    ::llvm::StringRef getOptimizerName();
    /// The optimizer by its name; null where no optimizer has that name, which
    /// the verifier refuses.
    const ::mpc::amp::Optimizer *getRule();
    /// The hyper-parameters of the optimizer that are given.
    ::mlir::DictionaryAttr getHyper();
    /// Null where the recipe names no loss, because the module has its own
    /// @loss.
    const ::mpc::nn::LossFunction *getLossFunction();
    /// The model's output from which the loss is computed; empty for none.
    ::llvm::StringRef getLossOutput();
    ::mpc::nn::LossSettings getLossSettings();
    /// The groups with numbers of their own, in the order of their patterns.
    ::llvm::SmallVector<::mpc::amp::GroupClause> getAllGroups();
    /// The optimizer's given flags, and the flags that follow from its
    /// hyper-parameters. The optimizer must be known.
    ::mlir::ArrayAttr getAllFlags();
    bool hasPenalty();
    /// The batches of a step that each rank has.
    int64_t getBatchesOfRank() { return getAccumulate() / getRanks(); }
    /// f32, bf16 or f16.
    ::mlir::Type getSlotType();
    /// The first clause that decides how parameters are updated. Such a clause
    /// is a mistake where the caller of the step updates them. Empty for none.
    ::llvm::StringRef findClauseOfRule();
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECTS_AMP_AMPRECIPE_TD
