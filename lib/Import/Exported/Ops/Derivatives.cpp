// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// torch.autograd.grad() inside of a forward, which mpc_compiler's Python
/// package traces as two ops of its own.
#include "lib/Import/Exported/Call.h"

using namespace llvm;

namespace mpc::exported {

namespace {

Error emitVariable(Call &call) {
  MPC_TRY_ASSIGN(Operand input, call.real("self"));
  call.result(call.build.variable(input));
  return Error::success();
}

Error emitGrad(Call &call) {
  MPC_TRY_ASSIGN(std::vector<Operand> values, call.tensors("outputs"));
  MPC_TRY_ASSIGN(std::vector<Operand> seeds, call.tensors("grad_outputs"));
  MPC_TRY_ASSIGN(std::vector<Operand> wrt, call.tensors("inputs"));
  auto isReal = [](const Operand &x) { return x.type && x.isFloat(); };
  if (values.size() != seeds.size() || !all_of(values, isReal) ||
      !all_of(seeds, isReal))
    return call.fail("needs one floating gradient for each output");
  for (auto [value, seed] : zip_equal(values, seeds))
    if (value.type != seed.type || value.shape != seed.shape)
      return call.fail("an output is " + shapeText(value.shape) +
                       " and its gradient " + shapeText(seed.shape) +
                       ", expected the same sizes and type");
  if (!all_of(wrt, TensorBuilder::isVariable))
    return call.fail("takes a gradient with respect to a tensor that is not "
                     "the result of mpc_compiler::variable");
  for (Operand &gradient : call.build.gradients(values, seeds, wrt))
    call.result(std::move(gradient));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> derivativeRows() {
  static const OpRow rows[] = {
      {kGradOp, emitGrad},
      {"torch.ops.mpc_compiler.variable.default", emitVariable},
  };
  return rows;
}

} // namespace mpc::exported
