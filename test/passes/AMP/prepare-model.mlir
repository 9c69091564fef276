// RUN: sed 's/^amp.recipe$/& loss<mse> precision(fp16)/' %s | mpc-opt --amp-prepare-model | FileCheck %s
// RUN: sed 's/^amp.recipe$/& loss<cross_entropy, of = "y"> target([4]) precision(fp16) outputs(bf16)/' %s | mpc-opt --amp-prepare-model | FileCheck %s --check-prefix=TYPED
// RUN: sed 's/^amp.recipe$/& loss<mse> precision(fp16) keep_fp32(["linear"])/' %s | mpc-opt --amp-prepare-model | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/^amp.recipe$/& loss<mse> precision(bf16) autocast("my-rules") rules("base mpc\\0Adeny op linear")/' %s | mpc-opt --amp-prepare-model | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/^amp.recipe$/& loss<mse> precision(fp16)/' %s | mpc-opt --amp-prepare-model=own-step | FileCheck %s --check-prefix=OWN
// RUN: sed '/^amp.recipe$/d' %s | not mpc-opt --amp-prepare-model 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/^amp.recipe$/& autocast("nothing")/' %s | not mpc-opt --amp-prepare-model 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: sed 's/^amp.recipe$/& autocast("my-rules") rules("deny nothing")/' %s | not mpc-opt --amp-prepare-model 2>&1 | FileCheck %s --check-prefix=RULES
// The model gets what its recipe says: a loss, types of outputs, and casts.

// CHECK-LABEL: func.func private @loss
// CHECK:         nn.linear {{.*}} -> tensor<4x3xf16>
// CHECK:         nn.sub {{.*}} tensor<4x3xf32>

// TYPED-LABEL: func.func private @loss
// TYPED-SAME:    %{{[^ ]*}}: tensor<4xi64> {nn.name = "target"}
// TYPED:         nn.cast {{.*}} -> tensor<4x3xbf16>
// TYPED:         nn.cross_entropy

// KEPT-LABEL: func.func private @loss
// KEPT:         nn.linear {{.*}} -> tensor<4x3xf32>

// OWN:     nn.linear {{.*}} -> tensor<4x3xf16>
// OWN-NOT: @loss

// NONE:   error: has no amp.recipe, which says how its model is computed
// POLICY: error: 'nothing' is not a built-in autocast policy; built in are mpc,
// RULES:  error: my-rules:1:
amp.recipe
nn.parameter @w : tensor<3x2xf32> = #nn.init<ones>
func.func @model(%x: tensor<4x2xf32> {nn.name = "x"}) -> (tensor<4x3xf32> {nn.name = "y"}) {
  %w = nn.get @w : tensor<3x2xf32>
  %y = nn.linear %x, %w : tensor<4x2xf32>, tensor<3x2xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
