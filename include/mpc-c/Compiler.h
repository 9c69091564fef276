/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compiling: from a model to a program that a runner runs. The functions of
 * this header are libmpc-compiler's, which brings LLVM along; all others are
 * libmpc-runtime's. The rules of Export.h hold here too, but that compilations
 * are kept where the tools keep theirs: MPC_CACHE_DIR, XDG_CACHE_HOME and HOME
 * are read, and an empty MPC_CACHE_DIR keeps nothing.
 *
 *   mpcModelLoad("model.onnx", &model);
 *   const char *flags[] = {"--precision=fp16", "--optimizer=sgd"};
 *   mpcCompile(model, flags, 2, NULL, &program);
 */
#ifndef MPC_C_COMPILER_H
#define MPC_C_COMPILER_H

#include "mpc-c/DLPack.h"
#include "mpc-c/Error.h"
#include "mpc-c/Program.h"
#include "mpc-c/Runner.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that compiles, as "0.1.0". */
MPC_EXPORT const char *mpcCompilerVersion(void);

/* A model, or a whole training step, before it is compiled. For one thread at
 * a time. */
typedef struct MpcModel MpcModel;

/* The model of a file, MODEL.onnx, MODEL.pt2 or FILE.mlir, which is read when
 * it is compiled. */
MPC_EXPORT MpcError *mpcModelLoad(const char *path, MpcModel **model);

/* The model in the `size` bytes of an ONNX file, which are copied and must
 * contain all weights. Messages call it `name`. */
MPC_EXPORT MpcError *mpcModelLoadOnnx(const void *bytes, size_t size,
                                      const char *name, MpcModel **model);

/* The model of a program that PyTorch exported: the `size` bytes of its JSON
 * (models/model.json in an archive of torch.export.save), which are copied.
 * mpcModelSetValue sets the values of its parameters, buffers and constants, by
 * the names of state_dict(), before the model is compiled. Messages call it
 * `name`. */
MPC_EXPORT MpcError *mpcModelLoadExported(const void *json, size_t size,
                                          const char *name, MpcModel **model);

/* Whether mpcModelLoadExported reads nodes of that target, as
 * "torch.ops.aten.linear.default": 1, or else 0. What it does not read,
 * run_decompositions of PyTorch may say in ops that it does. */
MPC_EXPORT MpcError *mpcModelReadsExportedOp(const char *target, int *reads);

/* The model of MLIR text: `func.func @model`, or a step that is written out. */
MPC_EXPORT MpcError *mpcModelParse(const char *text, const char *name,
                                   MpcModel **model);

/* An empty model, to be built op by op. */
MPC_EXPORT MpcError *mpcModelCreate(const char *name, MpcModel **model);

MPC_EXPORT void mpcModelDestroy(MpcModel *model);

/* Sets the value of a parameter of a model that was parsed, built or exported.
 * The value is copied. Its shape and element type must be those that the model
 * declares. */
MPC_EXPORT MpcError *mpcModelSetValue(MpcModel *model, const char *parameter,
                                      const DLTensor *value);

/* --- Building --------------------------------------------------------------
 *
 * Ops of all dialects that are documented (nn, amp, func, arith) are added by
 * their names. Types and attributes are MLIR's text: "tensor<8x6xf32>",
 * "{axis = 1 : i64}". An op is verified when it is added.
 *
 *   mpcModelAddOp(model, &parameter, NULL, 0, NULL);   // nn.parameter @w
 *   mpcModelBeginFunction(model, "model", 1, names, types, arguments);
 *   ...
 *   mpcModelEndFunction(model, 1, results, resultNames);
 */

/* A value of the function under construction. */
typedef uint32_t MpcValue;

typedef struct MpcOp {
  size_t structSize;
  const char *name; /* "nn.linear" */
  const MpcValue *operands;
  size_t numOperands;
  const char *attributes; /* "{axis = 1 : i64}"; NULL for none. */
  /* Types of the results; none where the op infers them. */
  const char *const *resultTypes;
  size_t numResultTypes;
  const char *node; /* The name in reports; NULL for none. */
} MpcOp;

/* Begins a function: "model", an entry of a step that is written out ("step",
 * "accumulate", "apply"), or another function that these use. Its arguments are
 * inputs with these `names`, and their values are written to `arguments`. Ops
 * that are added outside of a function belong to the module: nn.parameter,
 * amp.scaler, amp.optimizer. */
MPC_EXPORT MpcError *mpcModelBeginFunction(MpcModel *model, const char *name,
                                           size_t numArguments,
                                           const char *const *names,
                                           const char *const *types,
                                           MpcValue *arguments);

/* Adds an op. Its first `maxResults` results are written to `results`, and
 * their number to `numResults`, which may be NULL. An op with regions is
 * refused. */
MPC_EXPORT MpcError *mpcModelAddOp(MpcModel *model, const MpcOp *op,
                                   MpcValue *results, size_t maxResults,
                                   size_t *numResults);

/* The type of a value as text. It is valid until the next call on the model. */
MPC_EXPORT MpcError *mpcModelGetType(MpcModel *model, MpcValue value,
                                     const char **type);

/* Ends the function. It returns `results` with these `names`. */
MPC_EXPORT MpcError *mpcModelEndFunction(MpcModel *model, size_t numResults,
                                         const MpcValue *results,
                                         const char *const *names);

/* The module that was built or parsed, as MLIR text, which is valid until the
 * next call on the model. */
MPC_EXPORT MpcError *mpcModelGetText(MpcModel *model, const char **text);

/* --- Compiling -------------------------------------------------------------
 *
 * What a user decides about a training is said in the flags of mpc-compile
 * (`mpc-compile --help`), one in each string: "--loss=mse", "--precision=fp16",
 * "--accumulate=4", "--eval". They default to what they do there, but for
 * --cpu, which is "host". Of the numbers of a run a runner takes the rate,
 * "--lr=0.01", until another is written; those of a file are mpc-run's.
 */

/* A flag of mpc-compile. */
typedef struct MpcFlagInfo {
  size_t structSize;
  const char *name; /* "--clip-norm" */
  /* The value that it takes: "X", "f64|torch"; "" for none. */
  const char *type;
  const char *help;  /* One sentence, with the default. */
  const char *group; /* The heading in --help: "Optimizer". */
} MpcFlagInfo;

/* The number of flags, and flag number `index`. The texts live as long as the
 * process. */
MPC_EXPORT MpcError *mpcCompileCountFlags(size_t *count);
MPC_EXPORT MpcError *mpcCompileGetFlag(size_t index, MpcFlagInfo *info);

typedef struct MpcCompileOptions {
  size_t structSize;
  MpcLogFunction log; /* Receives warnings; NULL for none. */
  void *logContext;
} MpcCompileOptions;

/* Compiles the training step of a model, or its evaluation, to a program for
 * runners of this process. `options` may be NULL. */
MPC_EXPORT MpcError *mpcCompile(MpcModel *model, const char *const *flags,
                                size_t numFlags,
                                const MpcCompileOptions *options,
                                MpcProgram **program);

/* Compiles to a program file at `path`. */
MPC_EXPORT MpcError *mpcCompileFile(MpcModel *model, const char *const *flags,
                                    size_t numFlags,
                                    const MpcCompileOptions *options,
                                    const char *path);

typedef enum MpcExplainFormat MPC_INT_ENUM {
  MPC_EXPLAIN_TEXT = 0,
  MPC_EXPLAIN_JSON = 1,
  MPC_EXPLAIN_HTML = 2
} MpcExplainFormat;

/* The precision of each op, the rule by which it has it, and the cost of casts,
 * as text. The text is valid until the next call on the model. */
MPC_EXPORT MpcError *mpcModelExplain(MpcModel *model, const char *const *flags,
                                     size_t numFlags, MpcExplainFormat format,
                                     const char **text);

/* Writes the model's ONNX file again, to `path`: the same graph with these
 * values in the initializers of their names, which are the names of the
 * runner's parameters and buffers (mpcRunnerReadState). Shapes must be those of
 * the file. Floats are converted to the file's types by rounding to nearest,
 * and finite ones stay finite. External data goes to one file, `path` with
 * ".data" appended. A value whose name no initializer has is an error, and then
 * nothing is written. */
MPC_EXPORT MpcError *mpcModelWriteOnnx(MpcModel *model, size_t numValues,
                                       const char *const *names,
                                       const DLTensor *const *values,
                                       const char *path);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_COMPILER_H */
