// RUN: mpc-opt %s --amp-mark-entries | FileCheck %s
// Functions that are run from outside, and what for.

// CHECK: func.func @model() {
func.func @model() { return }
// CHECK: func.func @loss() {
func.func @loss() { return }
// CHECK: func.func @step() attributes {amp.entry = #amp.entry_kind<step>}
func.func @step() { return }
// CHECK: func.func @accumulate() attributes {amp.entry = #amp.entry_kind<accumulate>}
func.func @accumulate() { return }
// CHECK: func.func @apply() attributes {amp.entry = #amp.entry_kind<apply>}
func.func @apply() { return }
// CHECK: func.func @average() attributes {amp.entry = #amp.entry_kind<other>}
func.func @average() { return }
// CHECK: func.func private @eval() {
func.func private @eval() { return }
// CHECK: func.func private @init()
// CHECK-NOT: amp.entry
func.func private @init()
