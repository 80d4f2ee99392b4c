#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| pavane_fuzz::run("atlas", data));
