// RUN: mpc-opt %s --split-input-file | mpc-opt --split-input-file | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mlir-print-op-generic | mpc-opt --split-input-file | FileCheck %s
// How a recipe is written. What is default is not printed.

// CHECK: {{^ *}}amp.recipe{{$}}
amp.recipe precision(fp32) optimizer<adamw> loss_scale<none> accumulate(1) ema(0.0) keep_fp32([])

// -----

// How the model is computed, in the order in which clauses are printed.
// CHECK:      amp.recipe loss<cross_entropy, of = "logits"> target([4, 2])
// CHECK-SAME:   precision(fp16) autocast("rules.txt") rules("deny op nn.relu\0A")
// CHECK-SAME:   keep_fp32(["h.0"]) lower(["ln", "nn.add"]) outputs(bf16) cost_aware round_weights{{$}}
amp.recipe lower(["ln", "nn.add"]) keep_fp32(["h.0"]) round_weights cost_aware outputs(bf16)
  rules("deny op nn.relu\n") autocast("rules.txt") precision(fp16) target([4, 2])
  loss<cross_entropy, of = "logits">

// -----

// What a loss is told.
// CHECK:      amp.recipe loss<cross_entropy, reduction = sum, ignore_index = -100,
// CHECK-SAME:   class_weights = [1.0, 0.5], label_smoothing = 0.125, class_axis = 1>{{$}}
amp.recipe
  loss<cross_entropy, reduction = sum, ignore_index = -100, class_weights = [1.0, 0.5], label_smoothing = 0.125, class_axis = 1>

// -----

// How it is trained.
// CHECK:      amp.recipe loss_scale<dynamic, growth_factor = 4.0> count_underflow
// CHECK-SAME:   optimizer<sgd, momentum = 0.9, nesterov>
// CHECK-SAME:   no_decay(["bias$"]) freeze(["emb"]) trainable(["h"]) accumulate(4)
// CHECK-SAME:   clip<global = 2.0, order = torch, scaled>
// CHECK-SAME:   l1(0.25) l2(0.125) ema(0.5) no_masters slots(f16) seed(7)
// CHECK-SAME:   gradients(f16) no_gradient(["b"]) gradient_sets(["c", "d"]){{$}}
amp.recipe loss_scale<dynamic, growth_factor = 4.0> count_underflow
  optimizer<sgd, momentum = 0.9, nesterov> slots(f16) no_masters seed(7) ema(0.5)
  no_decay(["bias$"]) freeze(["emb"]) trainable(["h"]) clip<global = 2.0, order = torch, scaled>
  l1(0.25) l2(0.125) accumulate(4) gradients(f16) no_gradient(["b"]) gradient_sets(["c", "d"])

// -----

// CHECK: amp.recipe larc<apex_scale, eta = 0.01, eps = 0.001>{{$}}
amp.recipe larc<apex_scale, eta = 1.0e-2, eps = 1.0e-3>

// -----

// CHECK: amp.recipe loss<mse> larc<scale, min_update = 0.5>{{$}}
amp.recipe larc<scale, min_update = 0.5> loss<mse>

// -----

// A name that is no word is in quotes; numbers read back as they were.
// CHECK: amp.recipe optimizer<"keras-adam", beta1 = 0.1, eps = 1.0e-07> l1(5.0e-324){{$}}
amp.recipe optimizer<"keras-adam", eps = 1.0e-7, beta1 = 0.10000000000000001> l1(4.9e-324)

// -----

// Numbers that no flag sets are kept beside those that one does.
// CHECK: amp.recipe optimizer<asgd, alpha = 0.5, lambd = 0.25>{{$}}
amp.recipe optimizer<asgd, lambd = 0.25, alpha = 0.5>

// -----

// Groups keep their order.
// CHECK: amp.recipe no_decay(["norm"]) groups([<"head$", lr_factor = 10.0, weight_decay = 0.25>, <"bias", no_decay>]) freeze(["emb"]){{$}}
amp.recipe groups([<"head$", weight_decay = 0.25, lr_factor = 10.0>, <"bias", no_decay>]) no_decay(["norm"]) freeze(["emb"])

// -----

// An attribute by itself.
// CHECK: amp.recipe {test.clip = #amp.clip<norm = 3.0>}
amp.recipe {test.clip = #amp.clip<norm = 3.0>}
