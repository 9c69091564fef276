// RUN: mpc-opt %s --split-input-file --amp-mark-entries --amp-add-probes --verify-diagnostics | FileCheck %s

// One result a floating value, in program order; constants and what is not
// floating are passed over. Each site knows the sites it reads; f64 is looked at
// in f64.
// CHECK-LABEL: func.func @values
// CHECK-SAME:    tensor<1xf32> {amp.site = #amp.site<op = "input", node = "x", type = tensor<4x3xf32>>, nn.name = "site0"}
// CHECK-SAME:    tensor<1xf64> {amp.site = #amp.site<op = "input", node = "", type = tensor<2xf64>>, nn.name = "site1"}
// CHECK-SAME:    {amp.site = #amp.site<op = "nn.get", node = "w", type = tensor<4x3xf32>, file = {{.*}}>, nn.name = "site2"}
// CHECK-SAME:    {amp.site = #amp.site<op = "nn.cast", node = "low", type = tensor<4x3xf16>, inputs = [0]>, nn.name = "site3"}
// CHECK-SAME:    tensor<1xf64> {amp.site = #amp.site<op = "nn.mul", node = "", type = tensor<2xf64>, file = {{.*}}, inputs = [1]>, nn.name = "site4"}
// CHECK-SAME:    {amp.site = #amp.site<op = "nn.mul", node = "sum", type = tensor<4x3xf32>, inputs = [0, 2], gradient = true, used = true>, nn.name = "site5"}
// CHECK-NOT:     site6
// CHECK:         %[[X:.*]] = nn.reshape %{{.*}} : tensor<4x3xf32> -> tensor<1x12xf32>
// CHECK:         %[[S0:.*]] = amp.block_max_abs %[[X]] : tensor<1x12xf32> -> tensor<1xf32>
// CHECK:         %[[D:.*]] = nn.abs %{{.*}} : tensor<1x2xf64>
// CHECK:         %[[S1:.*]] = nn.reduce_max %[[D]] axes [1] : tensor<1x2xf64> -> tensor<1xf64>
// CHECK:         return %[[S0]], %[[S1]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<1xf32>, tensor<1xf64>,
module {
  nn.parameter @w : tensor<4x3xf32> = <zeros>
  func.func @values(%x: tensor<4x3xf32> {nn.name = "x"}, %d: tensor<2xf64>, %i: tensor<2xi64>)
      -> (tensor<4x3xf32> {nn.name = "loss"}) {
    %w = nn.get @w : tensor<4x3xf32>
    %l = nn.cast %x : tensor<4x3xf32> -> tensor<4x3xf16> loc("low")
    %c = nn.constant dense<1.0> : tensor<2xf64>
    %y = nn.mul %d, %c : tensor<2xf64>
    %z = nn.mul %x, %w : tensor<4x3xf32> loc(fused<"gradient">["sum"])
    return %z : tensor<4x3xf32>
  }
}

// -----

// What an optimizer is given is its parameter's gradient, back to where it
// comes from other than gradients; what is checked or applied is used. The
// scale is known by its scaler, a hyper-parameter is passed over. The step
// itself stays.
// CHECK-LABEL: func.func @step
// CHECK-SAME:    <op = "amp.get_scale", node = "scaler", type = tensor<f32>{{[^@]*}}>, nn.name = "site2"}
// CHECK-SAME:    <op = "nn.mul", node = {{"[^"]*"}}, type = tensor<4xf16>{{[^@]*}}parameter = "w">, nn.name = "site4"}
// CHECK-SAME:    <op = "nn.cast", node = {{"[^"]*"}}, type = tensor<4xf32>{{[^@]*}}parameter = "w", used = true>, nn.name = "site5"}
// CHECK-SAME:    <op = "amp.unscale", node = {{"[^"]*"}}, type = tensor<4xf32>{{[^@]*}}parameter = "w", used = true>, nn.name = "site6"}
// CHECK-SAME:    <op = "amp.check", node = {{"[^"]*"}}, type = tensor<f64>{{[^@]*}}>, nn.name = "site7"}
// CHECK-SAME:    <op = "amp.clip", node = {{"[^"]*"}}, type = tensor<4xf32>{{[^@]*}}parameter = "w", used = true>, nn.name = "site9"}
// CHECK-SAME:    <op = "amp.update_scale", node = {{"[^"]*"}}, type = tensor<f64>{{[^@]*}}>, nn.name = "site11"}
// CHECK-NOT:     site12
// CHECK:         amp.apply
// CHECK:         amp.update_scale
module {
  nn.parameter @w : tensor<4xf32> = <zeros>
  amp.scaler @scaler policy("dynamic") settings {}
  amp.optimizer @sgd kind("sgd") hyper {clip_global_norm = 1.0} trains [@w]
  func.func @step(%x: tensor<4xf16> {nn.name = "x"}, %lr: tensor<f32> {nn.name = "lr"}) {
    %scale = amp.get_scale @scaler : tensor<f32>
    %inverse = amp.inverse_scale %scale : tensor<f32>
    %g = nn.mul %x, %x : tensor<4xf16>
    %wide = nn.cast %g : tensor<4xf16> -> tensor<4xf32>
    %gradients = amp.gather %wide : tensor<4xf32> -> !amp.gradients<@sgd>
    %unscaled = amp.unscale %gradients by %inverse : !amp.gradients<@sgd>
    %found, %norm = amp.check %unscaled : !amp.gradients<@sgd>
    %max = amp.get_hyper @sgd "clip_global_norm" : tensor<f64>
    %factor = amp.clip_coefficient %norm max(%max) : tensor<f64> -> tensor<f32>
    %clipped = amp.clip %unscaled by %factor : !amp.gradients<@sgd>
    amp.apply %clipped lr(%lr) skip(%found) : !amp.gradients<@sgd>
    %good, %error = amp.update_scale @scaler found(%found)
    return
  }
}

// -----

// What reads an infinity that the model's author wrote says so; a constant
// without one is none.
// CHECK-LABEL: func.func @step
// CHECK-SAME:    {amp.site = #amp.site<op = "nn.add", node = "mask", {{.*}}inputs = [0], infinite = true>, nn.name = "site1"}
// CHECK-SAME:    {amp.site = #amp.site<op = "nn.mul", node = "scale", {{.*}}inputs = [1]{{.*}}>, nn.name = "site2"}
module {
  func.func @step(%x: tensor<2xf32> {nn.name = "x"}) -> tensor<2xf32> {
    %m = nn.constant dense<[0.0, 0xFF800000]> : tensor<2xf32>
    %s = nn.constant dense<2.0> : tensor<2xf32>
    %y = nn.add %x, %m : tensor<2xf32> loc("mask")
    %z = nn.mul %y, %s : tensor<2xf32> loc("scale")
    return %z : tensor<2xf32>
  }
}

// -----

// Models are no entries.
// expected-error @+1 {{has no entry: a function with amp.entry}}
module {
  func.func @model(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// Features: X3.
