// Nodes have the names of functions and words of the language, as torch.export gives them (exp, sin), and of numbers. Kernels that
// are named after them are compiled all the same, and give the CPU's values.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{cuda} = env MPC_CUDA_DRIVER=%build/lib/libMpcFakeCuda.so MPC_NVRTC=%build/lib/libMpcFakeNvrtc.so
// DEFINE: %{inputs} = --inputs=%inputs/exports/programs/chance.safetensors
// RUN: %{cuda} mpc-compile %s --target=cuda:sm_90 --eval -o %t/cuda.mpc
// RUN: mpc-inspect %t/cuda.mpc --json | FileCheck %s
// RUN: mpc-eval %s %{inputs} --outputs=%t/cpu.safetensors
// RUN: %{cuda} mpc-run %t/cuda.mpc --target=cuda %{inputs} --expect=%t/cpu.safetensors --rtol=1e-6 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: 3 compared, 0 differ
// CHECK-DAG: "k_exp"
// CHECK-DAG: "k_double"
// CHECK-DAG: "k_1"
func.func @model(%s: tensor<f32> {nn.name = "scale"})
    -> (tensor<40xf32> {nn.name = "x"}, tensor<30xf32> {nn.name = "y"}, tensor<20xf32> {nn.name = "z"}) {
  %0 = nn.broadcast %s axes [] : tensor<f32> -> tensor<40xf32> loc("exp")
  %1 = nn.exp %0 : tensor<40xf32> loc("exp")
  %2 = nn.broadcast %s axes [] : tensor<f32> -> tensor<30xf32> loc("double")
  %3 = nn.sin %2 : tensor<30xf32> loc("double")
  %4 = nn.broadcast %s axes [] : tensor<f32> -> tensor<20xf32> loc("1")
  %5 = nn.neg %4 : tensor<20xf32> loc("1")
  return %1, %3, %5 : tensor<40xf32>, tensor<30xf32>, tensor<20xf32>
}
