// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(amp-mark-entries,amp-lower-state)' | FileCheck %s
// Ranks give each other gradients in the type in which they arrived, and sums
// in f32. One of an odd number of ranks goes up a level as it is.

// Two blocks are a part each for two of three ranks, and nothing for the third.
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[G:[^:]*]]: tensor<5000xf16>
// CHECK:         %[[SENT:.*]] = kernel.pack %[[G]] at [0] : tensor<5000xf16> -> tensor<8192xf16>
// CHECK:         %[[PARTS:.*]] = kernel.collective all_to_all ranks(3) %[[SENT]] : (tensor<8192xf16>) -> tensor<12288xf16>
// CHECK:         %[[P0:.*]] = kernel.view %[[PARTS]][0]
// CHECK:         %[[W0:.*]] = nn.cast %[[P0]] : tensor<4096xf16> -> tensor<4096xf32>
// CHECK:         %[[P1:.*]] = kernel.view %[[PARTS]][4096]
// CHECK:         %[[W1:.*]] = nn.cast %[[P1]]
// CHECK:         %[[P2:.*]] = kernel.view %[[PARTS]][8192]
// CHECK:         %[[W2:.*]] = nn.cast %[[P2]]
// CHECK:         %[[S:.*]] = nn.add %[[W0]], %[[W1]]
// CHECK:         %[[ALL:.*]] = nn.add %[[S]], %[[W2]]
// CHECK:         kernel.collective all_gather ranks(3) %[[ALL]] : (tensor<4096xf32>) -> tensor<8192xf32>
nn.parameter @w : tensor<5000xf32> = #nn.init<zeros>
amp.optimizer @o kind("sgd") hyper {} trains [@w]
func.func @step(%g: tensor<5000xf16>, %lr: tensor<f32>) {
  %own = amp.gather %g : tensor<5000xf16> -> !amp.gradients<@o>
  %all = amp.exchange %own ranks(3) : !amp.gradients<@o> -> !amp.gradients<@o>
  amp.apply %all lr(%lr) : !amp.gradients<@o>
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @o kind("sgd") hyper {} trains [@w]
func.func @accumulate(%g: tensor<4xf32>) {
  %own = amp.gather %g : tensor<4xf32> -> !amp.gradients<@o>
  amp.accumulate %own pairs_of(4) : !amp.gradients<@o>
  return
}
func.func @apply(%lr: tensor<f32>) {
  // expected-error @below {{takes gradients that are summed otherwise: 'pairs_of' differs from the amp.accumulate's}}
  %all = amp.take_gradients pairs_of(2) : !amp.gradients<@o>
  amp.apply %all lr(%lr) : !amp.gradients<@o>
  return
}
