// RUN: mpc-opt %s --split-input-file --verify-diagnostics
// The discardable attributes of the dialect: entries and probed values.

// expected-error @below {{has 'amp.entry' = "step": a public function with a body has an #amp.entry_kind}}
func.func @text() attributes {amp.entry = "step"} { return }

// -----

// expected-error @below {{has 'amp.entry' = #amp.entry_kind<step>: a public function with a body has an #amp.entry_kind}}
func.func private @helper() attributes {amp.entry = #amp.entry_kind<step>} { return }

// -----

// expected-error @below {{has 'amp.entry' = #amp.entry_kind<step>}}
func.func private @declared() attributes {amp.entry = #amp.entry_kind<step>}

// -----

// expected-error @below {{has 'amp.entry' = #amp.entry_kind<eval>}}
module attributes {amp.entry = #amp.entry_kind<eval>} {}

// -----

// expected-error @below {{result #0 has 'amp.site' = "x", which must be a #amp.site}}
func.func private @site() -> (tensor<1xf32> {amp.site = "x"})

// -----

// expected-error @below {{argument #0 has 'amp.site' = 1 : i64, which must be a #amp.site}}
func.func private @argument(%x: tensor<1xf32> {amp.site = 1})

// -----

// expected-error @below {{argument #0 has 'amp.slab', which amp does not know}}
func.func private @slab(%x: tensor<1xf32> {amp.slab = @p})

// -----

// expected-error @below {{result #0 has 'amp.slab', which amp does not know}}
func.func private @result() -> (tensor<1xf32> {amp.slab = @p})

// -----

// expected-error @below {{has 'amp.enter', which amp does not know}}
func.func @misspelled() attributes {amp.enter} { return }
