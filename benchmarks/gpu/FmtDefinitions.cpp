// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The definitions of fmt, in the place of its shared library: a packed program
// runs where there is none.
#include <fmt/format-inl.h>

namespace fmt::inline v9::detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float);
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double);
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char *, const char *);
template void vformat_to(buffer<char> &, string_view,
                         basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                         locale_ref);

} // namespace fmt::inline v9::detail
