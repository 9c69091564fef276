// RUN: mpc-opt %s --split-input-file --verify-diagnostics
// What the ops of the amp dialect refuse.

// expected-error @+1 {{setting 'growth_factor' must be an f64}}
amp.scaler @scaler policy("dynamic") settings {growth_factor = 2 : i64}

// -----

// expected-error @+1 {{has no rule for kind 'adamq'; known are sgd, asgd, adagrad,}}
amp.optimizer @optimizer kind("adamq") hyper {}

// -----

// expected-error @+1 {{hyper-parameter 'lr_decay' must be a number, not NaN}}
amp.optimizer @optimizer kind("adagrad") hyper {lr_decay = 0x7FF8000000000000 : f64}

// -----

// expected-error @+1 {{hyper-parameter 'beta1' must be an f64}}
amp.optimizer @optimizer kind("adam") hyper {beta1 = 1.0 : f32}

// -----

// expected-error @+1 {{of kind 'sgd' has no hyper-parameter 'beta1'}}
amp.optimizer @optimizer kind("sgd") hyper {beta1 = 0.9}

// -----

// expected-error @+1 {{of kind 'sgd' has no flag 'amsgrad'}}
amp.optimizer @optimizer kind("sgd") hyper {} flags ["amsgrad"]

// -----

// expected-error @+1 {{cannot have slots of 'f16': slot 'exp_avg_sq' of adam is divided by, and small gradients make it 0 in f16, whose least number is 6e-08; keep slots in bf16}}
amp.optimizer @optimizer kind("adam") hyper {rounding_seed = 1.0} slots(f16)

// -----

// expected-error @+1 {{cannot have slots of 'f64': slots are kept in f32, bf16 or f16}}
amp.optimizer @optimizer kind("adam") hyper {rounding_seed = 1.0} slots(f64)

// -----

// expected-error @+1 {{has slots of 'bf16', but no rounding_seed}}
amp.optimizer @optimizer kind("adam") hyper {} slots(bf16)

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func @f(%x: tensor<f64>) {
  %g = amp.take_gradients : !amp.gradients<@optimizer>
  // expected-error @+1 {{needs one of min_update and weight_decay}}
  %0 = amp.larc %g eta(%x) eps(%x) : !amp.gradients<@optimizer>
  return
}

// -----

func.func @f(%n: tensor<4xf64>, %x: tensor<f64>) {
  // expected-error @+1 {{needs one of min_update and weight_decay}}
  %0 = amp.larc_rate %n, %n eta(%x) eps(%x) min_update(%x) weight_decay(%x)
      : tensor<4xf64> -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<8xf32>, %slot: tensor<8xbf16>, %s: tensor<f32>) {
  // expected-error @+1 {{has a slot of 'bf16' without a key}}
  %u:2 = amp.update "sgd" flags ["momentum"] decay(true) gradient(%p)
      scalars(%s, %s, %s, %s, %s) parameter(%p) slots(%slot)
      : (tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<f32>, tensor<8xf32>, tensor<8xbf16>)
      -> (tensor<8xf32>, tensor<8xbf16>)
  return
}

// -----

func.func @f(%p: tensor<8xf32>, %key: tensor<i32>, %s: tensor<f32>) {
  // expected-error @+1 {{has 2 keys for 1 slots}}
  %u:2 = amp.update "sgd" flags ["momentum"] decay(true) gradient(%p)
      slot_keys(%key, %key) scalars(%s, %s, %s, %s, %s) parameter(%p) slots(%p)
      : (tensor<8xf32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>,
         tensor<f32>, tensor<f32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>)
      -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{uses 'scaler', but the module has no scaler of that name}}
  %0 = amp.get_scale @scaler : tensor<f32>
  return
}

// -----

func.func @f(%lr: tensor<f32>) {
  // expected-error @+1 {{uses 'scaler', but the module has no scaler of that name}}
  %0 = amp.get_rate @scaler, %lr, %lr : tensor<f32>
  return
}

// -----

func.func @f(%found: tensor<i1>) {
  // expected-error @+1 {{uses 'scaler', but the module has no scaler of that name}}
  %0, %1 = amp.update_scale @scaler found(%found)
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{uses 'optimizer', but the module has no optimizer of that name}}
  %0 = amp.get_hyper @optimizer "beta1" : tensor<f64>
  return
}

// -----

amp.optimizer @optimizer kind("sgd") hyper {}
func.func @f() {
  // expected-error @+1 {{reads hyper-parameter 'momentum', which optimizer 'optimizer' does not have}}
  %0 = amp.get_hyper @optimizer "momentum" : tensor<f64>
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
// expected-error @+1 {{of kind 'sgd' has no hyper-parameter 'beta1', which group 2 sets}}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
    groups [#amp.group<{lr_factor = 2.0}, [@w]>, #amp.group<{beta1 = 0.5}, []>]

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
// expected-error @+1 {{group 2 has @w, which the optimizer does not train, or which another group has}}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
    groups [#amp.group<{lr_factor = 2.0}, [@w]>, #amp.group<{lr_factor = 3.0}, [@w]>]

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
// expected-error @+1 {{group 1 has @v, which the optimizer does not train, or which another group has}}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
    groups [#amp.group<{lr_factor = 2.0}, [@v]>]

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
// expected-error @+1 {{hyper-parameter 'lr_factor' must be an f64}}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
    groups [#amp.group<{lr_factor = 2 : i32}, [@w]>]

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
// expected-error @+1 {{keeps decay from 'b', which it does not train}}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w] no_decay [@b]

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func @f(%g: tensor<4xf32>) {
  // expected-error @+1 {{has 2 gradients for the 1 parameters that 'optimizer' trains}}
  %0 = amp.gather %g, %g : tensor<4xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  return
}

// -----

// expected-error @+1 {{uses 'w', but the module has no parameter of that name}}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]

// -----

nn.parameter @w : tensor<4xf16> = #nn.init<zeros>
// expected-error @+1 {{can only train parameters of f32 and bf16, but 'w' is 'tensor<4xf16>'}}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]

// -----

nn.parameter @w : tensor<4xbf16> = #nn.init<zeros>
// expected-error @+1 {{trains 'w' in bf16, but has no rounding_seed}}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]

// -----

nn.parameter @w : tensor<5xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func @f(%g: tensor<4xf16>) {
  // expected-error @+1 {{has a gradient of 'tensor<4xf16>' for 'w', 'tensor<5xf32>'}}
  %0 = amp.gather %g : tensor<4xf16> -> !amp.gradients<@optimizer>
  return
}

// -----

nn.parameter @w : tensor<5xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func @f() {
  %g = amp.take_gradients : !amp.gradients<@optimizer>
  // expected-error @+1 {{has a gradient of 'tensor<6xf32>' for 'w', 'tensor<5xf32>'}}
  %0 = amp.split %g : !amp.gradients<@optimizer> -> tensor<6xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{uses 'optimizer', but the module has no optimizer of that name}}
  %g = amp.take_gradients : !amp.gradients<@optimizer>
  return
}

// -----

func.func @f(%g: tensor<4xf16>, %s: tensor<f32>) {
  // expected-error @+1 {{cannot make 'tensor<5xf32>' of 'tensor<4xf16>'}}
  %0 = amp.clip %g by %s : tensor<4xf16> -> tensor<5xf32>
  return
}

// -----

func.func @f(%norm: tensor<3xf64>, %max: tensor<f64>) {
  // expected-error @+1 {{must make one coefficient of each norm}}
  %0 = amp.clip_coefficient %norm max(%max) : tensor<3xf64> -> tensor<2xf32>
  return
}

// -----

// expected-error @+2 {{entry 'w/m' of role 'slot' needs an owner}}
amp.slab @s : tensor<8xf32> entries [
    #amp.entry<"w/m", 0, tensor<4xf32>, slot as "m">]

// -----

// expected-error @below {{has 'amp.pending_of' = "w": an nn.parameter has the symbol of a buffer}}
nn.parameter @p : tensor<4xf32> = #nn.init<zeros> {amp.pending_of = "w"}

// -----

// expected-error @below {{has 'amp.batches_of' = 1 : i64: an nn.parameter has the symbol of a buffer}}
nn.parameter @p : tensor<2x4xf32> = #nn.init<zeros> {amp.batches_of = 1}

// -----

func.func @no_rows(%x: tensor<f32>) {
  // expected-error @below {{gathers rows, and 'tensor<f32>' has none}}
  %0 = amp.all_gather %x ranks(2) : tensor<f32> -> tensor<2xf32>
  return
}

// -----

func.func @other_rows(%x: tensor<3x4xf32>) {
  // expected-error @below {{yields 'tensor<3x8xf32>' in place of 'tensor<6x4xf32>'}}
  %0 = amp.all_gather %x ranks(2) : tensor<3x4xf32> -> tensor<3x8xf32>
  return
}

// -----

// expected-error @+2 {{unknown role 'weights', expected one of: parameter, low_precision, gradient, slot, buffer, loss_scale, optimizer, hyperparameters, setting, average, pending}}
// expected-error @+1 {{failed to parse AMP_EntryAttr parameter 'role' which is to be a `::mpc::rt::StateRole`}}
amp.slab @s : tensor<8xf32> entries [#amp.entry<"w", 0, tensor<4xf32>, weights>]

// -----

// expected-error @+1 {{entry 'w' needs a static shape and an offset from 0 on}}
amp.slab @s : tensor<8xf32> entries [#amp.entry<"w", -1, tensor<4xf32>, buffer>]

// -----

// expected-error @+1 {{must be a static tensor of rank 1, not 'tensor<2x4xf32>'}}
amp.slab @s : tensor<2x4xf32> entries []

// -----

// expected-error @+1 {{entry 'w' is 'tensor<4xf16>' in a slab of 'f32'}}
amp.slab @s : tensor<8xf32> entries [#amp.entry<"w", 0, tensor<4xf16>, buffer>]

// -----

// expected-error @+1 {{entry 'b' overlaps another or is out of order}}
amp.slab @s : tensor<8xf32> entries [
    #amp.entry<"w", 0, tensor<4xf32>, buffer>,
    #amp.entry<"b", 3, tensor<4xf32>, buffer>]

// -----

// expected-error @+1 {{entries reach element 9 of 8}}
amp.slab @s : tensor<8xf32> entries [#amp.entry<"w", 5, tensor<4xf32>, buffer>]

// -----

// expected-error @+1 {{has 3 initial values for 8 elements}}
amp.slab @s : tensor<8xf32> entries [] initial [0.0, 0.0, 0.0]

// -----

func.func @f(%g: tensor<3x4096xf32>) {
  // expected-error @+1 {{must make one value of each row, not 'tensor<2xf64>' of 'tensor<3x4096xf32>'}}
  %0 = amp.square_sums %g : tensor<3x4096xf32> -> tensor<2xf64>
  return
}

// -----

func.func @f(%sums: tensor<3xf64>) {
  // expected-error @+1 {{splits 3 blocks among 2 tensors, but 'blocks' holds 2 tensors of 4 blocks}}
  %0 = amp.segment_norms %sums blocks [1, 3] : tensor<3xf64> -> tensor<2xf64>
  return
}

// -----

func.func @f(%sums: tensor<3xf64>) {
  // expected-error @+1 {{has a tensor of -1 blocks}}
  %0 = amp.segment_norms %sums blocks [-1, 4] : tensor<3xf64> -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %c: tensor<1xf32>) {
  // expected-error @+1 {{takes rows, not 'tensor<8xf32>'}}
  %0 = amp.scale_segments %x by %c blocks [1] : tensor<8xf32>, tensor<1xf32>
  return
}

// -----

func.func @f(%lr: tensor<f32>, %x: tensor<f64>) {
  // expected-error @+1 {{of kind 'sgd' takes 1 state scalars and 3 hyper-parameters}}
  %0:6 = amp.prepare "sgd" flags [] lr(%lr) state(%x) hyper(%x)
      : (tensor<f32>, tensor<f64>, tensor<f64>)
      -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
          tensor<f32>)
  return
}

// -----

func.func @f(%lr: tensor<f32>, %x: tensor<f64>) {
  // expected-error @+1 {{of kind 'sgd' must yield its state, then 5 scalars of f32}}
  %0 = amp.prepare "sgd" flags [] lr(%lr) state(%x) hyper(%x, %x, %x)
      : (tensor<f32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
      -> tensor<f64>
  return
}

// -----

func.func @f(%lr: tensor<f32>, %x: tensor<f64>) {
  // expected-error @+1 {{has no rule for kind 'adamq'}}
  %0 = amp.prepare "adamq" flags [] lr(%lr) state(%x) hyper(%x)
      : (tensor<f32>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return
}

// -----

func.func @f(%g: tensor<8xf32>) {
  // expected-error @+1 {{of kind 'callback' has no rule: the caller of the step updates the parameters}}
  %0 = amp.update "callback" flags [] decay(true) gradient(%g) scalars()
      parameter(%g) slots() : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%g: tensor<8xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{of kind 'sgd' takes 5 scalars and 0 slots}}
  %0 = amp.update "sgd" flags [] decay(true) gradient(%g) scalars(%s)
      parameter(%g) slots()
      : (tensor<8xf32>, tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%g: tensor<8xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{must yield the parameter, its slots and its low-precision copy, in their types}}
  %0:2 = amp.update "sgd" flags [] decay(true) gradient(%g)
      scalars(%s, %s, %s, %s, %s) parameter(%g) slots()
      : (tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<f32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%g: tensor<9xf32>, %p: tensor<8xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{mixes shapes}}
  %0 = amp.update "sgd" flags [] decay(true) gradient(%g)
      scalars(%s, %s, %s, %s, %s) parameter(%p) slots()
      : (tensor<9xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%g: tensor<8xf32>, %low: tensor<8xf16>, %s: tensor<f32>) {
  // expected-error @+1 {{of kind 'lamb' yields a direction, which has no copy}}
  %0:4 = amp.update "lamb" flags [] decay(true) gradient(%g)
      scalars(%s, %s, %s, %s, %s, %s, %s, %s, %s) parameter(%g) slots(%g, %g)
      low(%low)
      : (tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>)
      -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>)
  return
}

// -----

// expected-error @+1 {{has momentum without the flag 'momentum', which keeps its state}}
amp.optimizer @optimizer kind("sgd") hyper {momentum = 0.9}

// -----

// expected-error @+1 {{uses rule 'rule', which is not a function of one block}}
amp.custom_optimizer @optimizer rule(@rule) slots {} hyper {}

// -----

// expected-error @+1 {{slot 'mean' must be an f64}}
amp.custom_optimizer @optimizer rule(@rule) slots {mean = 0} hyper {}
func.func private @rule(%w: tensor<f32> {nn.name = "parameter"}) -> (tensor<f32> {nn.name = "parameter"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{gives another meaning to 'lr'}}
amp.custom_optimizer @optimizer rule(@rule) slots {} hyper {lr = 0.1}
func.func private @rule(%w: tensor<f32> {nn.name = "parameter"}) -> (tensor<f32> {nn.name = "parameter"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{has a slot and a hyper-parameter 'm'}}
amp.custom_optimizer @optimizer rule(@rule) slots {m = 0.0} hyper {m = 0.1}
func.func private @rule(%w: tensor<f32> {nn.name = "parameter"}) -> (tensor<f32> {nn.name = "parameter"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{rule 'rule': argument 0 has name 'mean'; expected parameter, gradient, lr, step, decay, a slot or a hyper-parameter}}
amp.custom_optimizer @optimizer rule(@rule) slots {} hyper {}
func.func private @rule(%w: tensor<f32> {nn.name = "mean"}) -> (tensor<f32> {nn.name = "parameter"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{rule 'rule': argument 'parameter' is 'tensor<f64>', expected tensor<f32>}}
amp.custom_optimizer @optimizer rule(@rule) slots {} hyper {}
func.func private @rule(%w: tensor<f64> {nn.name = "parameter"}) -> (tensor<f64> {nn.name = "parameter"}) {
  return %w : tensor<f64>
}

// -----

// expected-error @+1 {{rule 'rule': argument 'lr' is 'tensor<4xf32>', expected tensor<f32> or tensor<f64>}}
amp.custom_optimizer @optimizer rule(@rule) slots {} hyper {}
func.func private @rule(%w: tensor<4xf32> {nn.name = "lr"}) -> (tensor<4xf32> {nn.name = "parameter"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{rule 'rule': result 0 must be named parameter or as a slot, each once}}
amp.custom_optimizer @optimizer rule(@rule) slots {} hyper {}
func.func private @rule(%w: tensor<f32> {nn.name = "parameter"}) -> (tensor<f32>) {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{rule 'rule': result 'parameter' is 'tensor<f64>', expected tensor<f32>}}
amp.custom_optimizer @optimizer rule(@rule) slots {} hyper {}
func.func private @rule(%w: tensor<f64> {nn.name = "lr"}) -> (tensor<f64> {nn.name = "parameter"}) {
  return %w : tensor<f64>
}

// -----

// expected-error @+1 {{rule 'rule' does not yield the new 'parameter'}}
amp.custom_optimizer @optimizer rule(@rule) slots {m = 0.0} hyper {}
func.func private @rule(%w: tensor<f32> {nn.name = "m"}) -> (tensor<f32> {nn.name = "m"}) {
  return %w : tensor<f32>
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
func.func @f(%g: tensor<8xf32>) {
  // expected-error @+1 {{gives 'w', 'tensor<4xf32>', a value of 'tensor<8xf32>'}}
  amp.assign %g to @w : tensor<8xf32>
  return
}

// -----

func.func @f(%g: tensor<8xf32>) {
  // expected-error @+1 {{uses 'w', but the module has no parameter of that name}}
  amp.assign %g to @w : tensor<8xf32>
  return
}

// -----

func.func @f(%g: tensor<4xf32>, %c: tensor<f32>, %scale: tensor<f32>) {
  %inverse = amp.inverse_scale %scale : tensor<f32>
  // expected-note @+1 {{it is unscaled here already}}
  %0 = amp.unscale %g by %inverse : tensor<4xf32> -> tensor<4xf32>
  %1 = amp.clip %0 by %c : tensor<4xf32> -> tensor<4xf32>
  // expected-error @+1 {{unscales a gradient twice}}
  %2 = amp.unscale %1 by %scale divide : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Whatever stands between the two.
nn.parameter @w : tensor<5xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func @f(%scale: tensor<f32>, %x: tensor<f64>) {
  %g = amp.take_gradients : !amp.gradients<@optimizer>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  // expected-note @+1 {{it is unscaled here already}}
  %0 = amp.unscale %g by %inverse : !amp.gradients<@optimizer>
  %1 = amp.regularize %0 l1(%x) l2(%x) : !amp.gradients<@optimizer>
  %2 = amp.clip_each %1 max(%x) : !amp.gradients<@optimizer>
  %3 = amp.larc %2 eta(%x) eps(%x) min_update(%x) : !amp.gradients<@optimizer>
  // expected-error @+1 {{unscales a gradient twice}}
  %4 = amp.unscale %3 by %inverse : !amp.gradients<@optimizer>
  return
}

// -----

// expected-note @+1 {{which is that of this optimizer}}
amp.custom_optimizer @optimizer rule(@rule) slots {} hyper {}
func.func private @rule(%g: tensor<f32> {nn.name = "gradient"})
    -> (tensor<f32> {nn.name = "parameter"}) {
  // expected-error @+1 {{is not elementwise, and has no place in an optimizer's rule}}
  %0 = nn.reduce_sum %g axes [] : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}
