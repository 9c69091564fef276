// RUN: mpc-opt %s --split-input-file | mpc-opt --split-input-file | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mlir-print-op-generic | mpc-opt --split-input-file | FileCheck %s
// How a recipe is written. What is default is not printed.

// CHECK: {{^ *}}amp.recipe{{$}}
amp.recipe precision(fp32) optimizer("adamw") policy("none") accumulate(1) ema(0.0) keep_fp32([])

// -----

// How the model is computed, in the order in which clauses are printed.
// CHECK:      amp.recipe loss(cross_entropy) loss_of("logits") target([4, 2])
// CHECK-SAME:   precision(fp16) outputs(bf16) autocast("rules.txt") rules("deny op nn.relu\0A")
// CHECK-SAME:   keep_fp32(["h.0"]) lower(["ln", "nn.add"]) cost_aware round_weights{{$}}
amp.recipe lower(["ln", "nn.add"]) keep_fp32(["h.0"]) round_weights cost_aware outputs(bf16)
  rules("deny op nn.relu\n") autocast("rules.txt")
  precision(fp16) target([4, 2]) loss_of("logits") loss(cross_entropy)

// -----

// What a loss is told.
// CHECK:      amp.recipe loss(cross_entropy) reduction(sum) ignore_index(-100)
// CHECK-SAME:   class_weights([1.000000e+00, 5.000000e-01]) label_smoothing(1.250000e-01) class_axis(1){{$}}
amp.recipe loss(cross_entropy) reduction(sum) ignore_index(-100) class_axis(1)
  class_weights([1.0, 0.5]) label_smoothing(0.125)

// -----

// How it is trained.
// CHECK:      amp.recipe policy("dynamic") settings({growth_factor = 4.000000e+00 : f64}) count_underflow
// CHECK-SAME:   optimizer("sgd") hyper({momentum = 9.000000e-01 : f64}) flags(["nesterov"]) slots(f16)
// CHECK-SAME:   no_masters seed(7) ema(5.000000e-01)
// CHECK-SAME:   no_decay(["bias$"]) freeze(["emb"]) trainable(["h"])
// CHECK-SAME:   clip(global_norm) clip_by(2.000000e+00) torch_norm clip_scaled
// CHECK-SAME:   l1(2.500000e-01) l2(1.250000e-01) accumulate(4)
// CHECK-SAME:   gradients(f16) no_gradient(["b"]) gradient_sets(["c", "d"]){{$}}
amp.recipe policy("dynamic") settings({growth_factor = 4.0}) count_underflow optimizer("sgd")
  hyper({momentum = 0.9}) flags(["nesterov"]) slots(f16) no_masters seed(7) ema(0.5)
  no_decay(["bias$"]) freeze(["emb"]) trainable(["h"]) clip(global_norm) clip_by(2.0)
  torch_norm clip_scaled l1(0.25) l2(0.125) accumulate(4) gradients(f16)
  no_gradient(["b"]) gradient_sets(["c", "d"])

// -----

// CHECK: amp.recipe larc(apex_scale) larc_eta(1.000000e-02) larc_eps(1.000000e-03){{$}}
amp.recipe larc(apex_scale) larc_eps(1.0e-3) larc_eta(1.0e-2)

// -----

// CHECK: amp.recipe loss(mse) larc(scale) larc_min_update(5.000000e-01){{$}}
amp.recipe larc(scale) larc_min_update(0.5) loss(mse)
