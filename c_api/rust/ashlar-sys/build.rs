//! ASHLAR_LIB_DIR is the folder of libashlar_c, if the linker does not know it.
fn main() {
    println!("cargo:rerun-if-env-changed=ASHLAR_LIB_DIR");
    println!("cargo:rustc-link-lib=dylib=ashlar_c");
    if let Ok(folder) = std::env::var("ASHLAR_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
    }
}
