// RUN: mpc-opt %s --split-input-file --verify-diagnostics
// State is an argument, and a result of its name has the same memory.

// expected-error @below {{argument #0 cannot have 'kernel.state' = "p": a tensor has the name of its state}}
func.func private @text(%p: tensor<4xf32> {kernel.state = "p"})

// -----

// expected-error @below {{argument #0 cannot have 'kernel.state' = @p: a tensor has the name of its state}}
func.func private @number(%p: f32 {kernel.state = @p})

// -----

// expected-error @below {{has two arguments that are the state @p}}
func.func private @twice(%p: tensor<4xf32> {kernel.state = @p}, %q: tensor<4xf32> {kernel.state = @p})

// -----

// expected-error @below {{result #0 is the state @p, but no argument of type 'tensor<4xf32>' is}}
func.func private @new(%p: tensor<4xf32> {kernel.state = @q}) -> (tensor<4xf32> {kernel.state = @p})

// -----

// expected-error @below {{result #0 is the state @p, but no argument of type 'tensor<8xf32>' is}}
func.func private @grown(%p: tensor<4xf32> {kernel.state = @p}) -> (tensor<8xf32> {kernel.state = @p})

// -----

// expected-error @below {{result #0 cannot have 'kernel.may_alias'}}
func.func private @alias(%p: tensor<4xf32>) -> (tensor<4xf32> {kernel.may_alias = array<i64: 0>})
