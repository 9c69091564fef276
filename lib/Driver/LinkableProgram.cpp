// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs for a linker: the bytes in an object file, and declarations.
#include "lib/Driver/LinkableProgram.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Support/ElementFormat.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <set>

using namespace mpc;

/// The alignment of a program file, whose sections lie at multiples of it.
static constexpr uint64_t kAlignment = 64;

static std::string toIdentifier(llvm::StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) ? c : '_';
  return text;
}

rt::Result<std::string> mpc::identifierOf(const std::string &path) {
  std::string name = toIdentifier(llvm::sys::path::stem(path));
  if (!name.empty() && !llvm::isDigit(name.front()))
    return name;
  return rt::usageError("--output=" + rt::quote(path) +
                        ": its name is not an identifier of C");
}

static void addConstant(llvm::Module &module, const std::string &name,
                        llvm::Constant *value, uint64_t alignment) {
  auto *variable =
      new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::ExternalLinkage, value, name);
  variable->setAlignment(llvm::Align(alignment));
}

rt::Result<std::string> mpc::makeObject(const std::string &name,
                                        const std::string &programFile) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return rt::environmentError("this LLVM cannot write objects: " + error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64", "", {}, llvm::Reloc::PIC_));
  llvm::LLVMContext context;
  llvm::Module module(name, context);
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  addConstant(module, name + "_program",
              llvm::ConstantDataArray::getString(context, programFile,
                                                 /*AddNull=*/false),
              kAlignment);
  addConstant(module, name + "_program_size",
              llvm::ConstantInt::get(llvm::Type::getInt64Ty(context),
                                     programFile.size()),
              sizeof(uint64_t));
  llvm::SmallVector<char> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return rt::environmentError("this LLVM cannot write objects");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

namespace {

/// Writes the declarations for one program.
class HeaderWriter {
public:
  explicit HeaderWriter(const std::string &name) : name_(name) {}

  std::string write(const rt::Program &program) {
    begin();
    for (const rt::Entry &entry : program.entries) {
      for (const rt::TensorDesc &input : entry.inputs)
        // The rate after a skipped step is set together with the rate.
        if (input.name != rt::step::kRateAfterSkip)
          add("Input", input, "const ");
      for (const rt::TensorDesc &output : entry.outputs)
        add("Output", output, "");
    }
    text_ += "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return text_;
  }

private:
  void begin() {
    std::string guard = "MPC_PROGRAM_" + llvm::StringRef(name_).upper() + "_H";
    text_ =
        "/* The program " + name_ +
        ", as mpc-compile made it: link its object file and libmpc-runtime. "
        "*/\n#ifndef " +
        guard + "\n#define " + guard +
        "\n\n#include <mpc-c/Program.h>\n#include <mpc-c/Runner.h>\n\n"
        "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
        "#endif\n\n/* The bytes of a program file. */\nextern const unsigned "
        "char " +
        name_ + "_program[];\nextern const uint64_t " + name_ +
        "_program_size;\n\n" + function("_load") +
        "MpcProgram **program) {\n  return mpcProgramLoadBytes(" + name_ +
        "_program, " + name_ +
        "_program_size,\n                             NULL, program);\n}\n";
  }

  [[nodiscard]] std::string function(const std::string &what) const {
    return "static inline MpcError *" + name_ + what + "(";
  }

  /// One function serves all entries that have a tensor of that name.
  void add(const std::string &kind, const rt::TensorDesc &tensor,
           const char *qualifier) {
    std::string id = toIdentifier(tensor.name);
    if (!seen_.insert(kind + id).second)
      return;
    bool isNumber =
        kind == "Input" && tensor.shape.empty() && rt::isFloat(tensor.dtype);
    isNumber ? addNumber(tensor, id) : addTensor(kind, tensor, qualifier, id);
  }

  void addNumber(const rt::TensorDesc &tensor, const std::string &id) {
    text_ += "\n" + function("_set_" + id) +
             "MpcRunner *runner, double value) {\n  return "
             "mpcRunnerWriteNumber(runner, " +
             literal(tensor.name) + ", value);\n}\n";
  }

  void addTensor(const std::string &kind, const rt::TensorDesc &tensor,
                 const char *qualifier, const std::string &id) {
    const rt::ElementFormat &type = rt::elementFormatOf(tensor.dtype);
    std::string sizes, brackets;
    for (int64_t size : tensor.shape) {
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
      brackets += "[" + std::to_string(size) + "]";
    }
    std::string rank = std::to_string(tensor.shape.size());
    text_ +=
        "\n/* " + kind + " " + comment(tensor.name) + ": " +
        std::string(rt::name(tensor.dtype)) + brackets + ". */\n" +
        function("_bind_" + llvm::StringRef(kind).lower() + "_" + id) +
        "MpcRunner *runner, " + qualifier + std::string(type.cName) +
        " *data) {\n  int64_t shape[] = {" + (sizes.empty() ? "0" : sizes) +
        "};\n  DLTensor tensor = {(void *)data, {kDLCPU, 0}, " + rank + ", {" +
        std::string(type.dlpackName) + ", " + std::to_string(type.bits) +
        ", 1}, shape, NULL, 0};\n  return mpcRunnerBind" + kind + "(runner, " +
        literal(tensor.name) + ", &tensor);\n}\n";
  }

  /// A C string literal of a name of the model, which may contain any
  /// character.
  static std::string literal(const std::string &name) {
    std::string text;
    for (unsigned char c : name)
      text += llvm::isPrint(c) && c != '"' && c != '\\' && c != '?'
                  ? std::string(1, char(c))
                  : "\\" + llvm::utostr(c >> 6) + llvm::utostr(c >> 3 & 7) +
                        llvm::utostr(c & 7);
    return "\"" + text + "\"";
  }
  static std::string comment(const std::string &name) {
    std::string text = literal(name);
    for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
      text.replace(at, 2, "* /");
    return text;
  }

  std::string name_, text_;
  std::set<std::string> seen_;
};

} // namespace

std::string mpc::makeHeader(const std::string &name,
                            const rt::Program &program) {
  return HeaderWriter(name).write(program);
}
