// DEFINE: %{passes} = mpc-opt %s --dump-pass-pipeline --cpu-attach-target
// RUN: not %{passes} --mpc-training-pipeline 2>&1 | FileCheck %s --check-prefixes=ANY,STEP,GRADIENTS,AGAIN,COUNTS,CODE,FUSED,EMIT
// RUN: not %{passes} --mpc-training-pipeline=fuse=false 2>&1 | FileCheck %s --check-prefixes=ANY,STEP,GRADIENTS,AGAIN,COUNTS,CODE,EMIT --implicit-check-not=kernel-fuse
// RUN: not %{passes} --mpc-training-pipeline=own-step 2>&1 | FileCheck %s --check-prefixes=ANY,OWN,GRADIENTS,AGAIN,COUNTS,CODE,FUSED,EMIT
// RUN: not %{passes} --mpc-probe-pipeline 2>&1 | FileCheck %s --check-prefixes=ANY,STEP,GRADIENTS,AGAIN,PROBES,CODE,FUSED,EMIT
// RUN: not %{passes} --mpc-evaluation-pipeline 2>&1 | FileCheck %s --check-prefixes=ANY,EVAL,GRADIENTS,CODE,FUSED,EMIT --implicit-check-not=nn-recompute
// RUN: not %{passes} --mpc-evaluation-pipeline=own-step 2>&1 | FileCheck %s --check-prefixes=ANY,OWN,GRADIENTS,AGAIN,CODE,FUSED,EMIT
// RUN: not %{passes} --mpc-optimizer-pipeline 2>&1 | FileCheck %s --check-prefixes=ANY,BUILD,CODE,FUSED,EMIT --implicit-check-not=nn-
// What the whole pipelines are made of. Most of it changes no number of a step,
// but how much memory and time it takes, so that no test of results sees it
// left out.

// ANY:       builtin.module(
// OWN:       amp-mark-entries,
// OWN:       amp-prepare-model{{.*}} own-step=true training=true}
// OWN-NEXT:  amp-check-scaling,
// OWN-NEXT:  amp-data-parallel,
// OWN-NEXT:  nn-differentiate,
// STEP:      amp-prepare-model{{.*}} own-step=false training=true}
// STEP-NEXT: amp-build-step,
// STEP-NEXT: amp-data-parallel,
// EVAL:      amp-prepare-model{{.*}} own-step=false training=false}
// EVAL-NEXT: nn-build-eval{{.*}} gradients=false seed=0}
// BUILD:     amp-build-step,

// GRADIENTS: symbol-dce,
// GRADIENTS: canonicalize
// GRADIENTS: cse
// GRADIENTS: nn-simplify-casts{place=true print-graph=false refuse=true}
// What is computed again must not become one with what it is a copy of.
// AGAIN-NOT: cse
// AGAIN:     nn-recompute
// COUNTS:    amp-count-underflow,
// COUNTS-NEXT: amp-count-hidden-infinities,
// PROBES:    amp-add-probes,

// CODE:      amp-lower-state,
// CODE-NEXT: amp-fuse-optimizer,
// CODE:      kernel-lower-bodies
// FUSED:     kernel-fuse
// EMIT:      kernel-outline,
// EMIT-NEXT: kernel-schedule,
// EMIT-NEXT: kernel-plan-memory,
// EMIT-NEXT: kernel-emit
module {}
