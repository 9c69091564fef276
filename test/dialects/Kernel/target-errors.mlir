// RUN: mpc-opt %s --split-input-file --verify-diagnostics
// A target stands at a module, and what its launches must know at a function.

// expected-error @below {{cannot have 'kernel.target' = 90 : i64: a module has a target as 'kernel.target', an emitted function what its launches must know as 'kernel.emitted' and how much it computes as 'kernel.work', a reduction that keeps its order 'kernel.in_order'}}
module attributes {kernel.target = 90} {}

// -----

// What an emitted kernel has is no target.
// expected-error @below {{cannot have 'kernel.target' = #cpu.kernel<chunks = 1, scratch = 0>}}
module attributes {kernel.target = #cpu.kernel<chunks = 1, scratch = 0>} {}

// -----

// expected-error @below {{cannot have 'kernel.target' = #cpu.target<lanes = 8>}}
func.func private @function() attributes {kernel.target = #cpu.target<lanes = 8>}

// -----

// expected-error @below {{cannot have 'kernel.emitted' = 1 : i64}}
func.func private @number() attributes {kernel.emitted = 1}

// -----

// expected-error @below {{cannot have 'kernel.emitted' = #cpu.kernel<chunks = 1, scratch = 0>}}
module attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {}

// -----

// expected-error @below {{cannot have 'kernel.code' = unit}}
func.func private @unknown() attributes {kernel.code}

// -----

// expected-error @below {{cannot have 'kernel.in_order' = unit}}
func.func private @no_reduction() attributes {kernel.in_order}

// -----

func.func @number_of_order(%x: tensor<4xf32>, %e: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{cannot have 'kernel.in_order' = 1 : i64}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<f32>) attrs = {kernel.in_order = 1} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// expected-error @below {{cannot have 'kernel.work' = 8 : i64}}
func.func private @number_of_work() attributes {kernel.work = 8}

// -----

// expected-error @below {{cannot have 'kernel.work' = #kernel.work<map, flops = 8>}}
module attributes {kernel.work = #kernel.work<map, flops = 8>} {}
