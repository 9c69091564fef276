// RUN: mpc-opt %s --split-input-file --verify-diagnostics
// The ends of what each number of a recipe may be: the last one that is taken,
// and what lies beyond.

amp.recipe l1(0.0) l2(0.0)

// -----

amp.recipe larc<clip, eta = 0.0, min_update = 0.0, eps = 0.0>

// -----

amp.recipe clip<norm = 5.0e-324>

// -----

amp.recipe loss<huber, delta = 5.0e-324>

// -----

amp.recipe loss<smooth_l1, delta = 0.0>

// -----

amp.recipe loss<cross_entropy, label_smoothing = 0.0>

// -----

amp.recipe loss<cross_entropy, label_smoothing = 1.0>

// -----

amp.recipe ema(0.0)

// -----

amp.recipe ema(0.9999)

// -----

amp.recipe seed(0)

// -----

amp.recipe seed(9007199254740991)

// -----

amp.recipe accumulate(1)

// -----

// expected-error @+1 {{'l1' must be finite and 0 or more, not inf}}
amp.recipe l1(0x7FF0000000000000)

// -----

// expected-error @+1 {{'l1' must be finite and 0 or more, not nan}}
amp.recipe l1(0x7FF8000000000000)

// -----

// expected-error @+1 {{'l1' must be finite and 0 or more, not -0.5}}
amp.recipe l1(-0.5)

// -----

// expected-error @+1 {{'l2' must be finite and 0 or more, not inf}}
amp.recipe l2(0x7FF0000000000000)

// -----

// expected-error @+1 {{'l2' must be finite and 0 or more, not nan}}
amp.recipe l2(0x7FF8000000000000)

// -----

// expected-error @+1 {{'l2' must be finite and 0 or more, not -0.5}}
amp.recipe l2(-0.5)

// -----

// expected-error @+1 {{'eta' of 'larc' must be finite and 0 or more, not inf}}
amp.recipe larc<clip, eta = 0x7FF0000000000000>

// -----

// expected-error @+1 {{'eta' of 'larc' must be finite and 0 or more, not nan}}
amp.recipe larc<clip, eta = 0x7FF8000000000000>

// -----

// expected-error @+1 {{'eta' of 'larc' must be finite and 0 or more, not -0.5}}
amp.recipe larc<clip, eta = -0.5>

// -----

// expected-error @+1 {{'min_update' of 'larc' must be finite and 0 or more, not inf}}
amp.recipe larc<clip, min_update = 0x7FF0000000000000>

// -----

// expected-error @+1 {{'min_update' of 'larc' must be finite and 0 or more, not nan}}
amp.recipe larc<clip, min_update = 0x7FF8000000000000>

// -----

// expected-error @+1 {{'min_update' of 'larc' must be finite and 0 or more, not -0.5}}
amp.recipe larc<clip, min_update = -0.5>

// -----

// expected-error @+1 {{'eps' of 'larc' must be finite and 0 or more, not inf}}
amp.recipe larc<clip, eps = 0x7FF0000000000000>

// -----

// expected-error @+1 {{'eps' of 'larc' must be finite and 0 or more, not nan}}
amp.recipe larc<clip, eps = 0x7FF8000000000000>

// -----

// expected-error @+1 {{'eps' of 'larc' must be finite and 0 or more, not -0.5}}
amp.recipe larc<clip, eps = -0.5>

// -----

// expected-error @+1 {{'norm' of 'clip' must be positive and finite, not inf}}
amp.recipe clip<norm = 0x7FF0000000000000>

// -----

// expected-error @+1 {{'norm' of 'clip' must be positive and finite, not nan}}
amp.recipe clip<norm = 0x7FF8000000000000>

// -----

// expected-error @+1 {{'norm' of 'clip' must be positive and finite, not 0.0}}
amp.recipe clip<norm = 0.0>

// -----

// expected-error @+1 {{'delta' of 'loss' must be finite and 0 or more, not inf}}
amp.recipe loss<huber, delta = 0x7FF0000000000000>

// -----

// expected-error @+1 {{'delta' of 'loss' must be finite and 0 or more, not nan}}
amp.recipe loss<huber, delta = 0x7FF8000000000000>

// -----

// expected-error @+1 {{'delta' of 'loss' must be finite and 0 or more, not -1.0}}
amp.recipe loss<huber, delta = -1.0>

// -----

// expected-error @+1 {{'label_smoothing' of 'loss' must be from 0 to 1, not -0.125}}
amp.recipe loss<cross_entropy, label_smoothing = -0.125>

// -----

// expected-error @+1 {{'label_smoothing' of 'loss' must be from 0 to 1, not 1.125}}
amp.recipe loss<cross_entropy, label_smoothing = 1.125>

// -----

// expected-error @+1 {{'label_smoothing' of 'loss' must be from 0 to 1, not nan}}
amp.recipe loss<cross_entropy, label_smoothing = 0x7FF8000000000000>

// -----

// expected-error @+1 {{'ema' must be from 0 up to, not including, 1, not -0.125}}
amp.recipe ema(-0.125)

// -----

// expected-error @+1 {{'ema' must be from 0 up to, not including, 1, not nan}}
amp.recipe ema(0x7FF8000000000000)

// -----

// expected-error @+1 {{'seed' must be from 0 up to, not including, 2^53, not 9007199254740992}}
amp.recipe seed(9007199254740992)

// -----

// expected-error @+1 {{'class_weights' of 'loss' must be finite and 0 or more, not inf}}
amp.recipe loss<cross_entropy, class_weights = [1.0, 0x7FF0000000000000]>

// -----

// expected-error @+1 {{'class_weights' of 'loss' must be finite and 0 or more, not nan}}
amp.recipe loss<cross_entropy, class_weights = [1.0, 0x7FF8000000000000]>

// -----

// expected-error @+1 {{'class_weights' of 'loss' must be finite and 0 or more, not -0.5}}
amp.recipe loss<cross_entropy, class_weights = [1.0, -0.5]>

// -----

amp.recipe loss<cross_entropy, class_weights = [1.0, 0.0]>
