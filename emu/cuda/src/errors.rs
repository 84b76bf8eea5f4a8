//! Names and texts of errors, for programs that print them.

use std::ffi::CStr;

use cudarc::driver::sys::CUresult::{self, *};

macro_rules! errors {
    ($($code:ident $text:literal)*) => {
        const ERRORS: &[(CUresult, &CStr, &CStr)] = &[$((
            $code,
            match CStr::from_bytes_with_nul(concat!(stringify!($code), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name has no NUL"),
            },
            $text,
        )),*];
    };
}

errors! {
    CUDA_SUCCESS c"no error"
    CUDA_ERROR_INVALID_VALUE c"invalid argument"
    CUDA_ERROR_OUT_OF_MEMORY c"out of memory"
    CUDA_ERROR_NOT_INITIALIZED c"initialization error"
    CUDA_ERROR_NO_DEVICE c"no CUDA-capable device is detected"
    CUDA_ERROR_INVALID_DEVICE c"invalid device ordinal"
    CUDA_ERROR_INVALID_CONTEXT c"invalid device context"
    CUDA_ERROR_NO_BINARY_FOR_GPU c"no kernel image is available for execution on the device"
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED c"peer access is not supported between these two devices"
    CUDA_ERROR_INVALID_PTX c"a PTX JIT compilation failed"
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION c"the provided PTX was compiled with an unsupported toolchain"
    CUDA_ERROR_FILE_NOT_FOUND c"file not found"
    CUDA_ERROR_INVALID_HANDLE c"invalid resource handle"
    CUDA_ERROR_ILLEGAL_STATE c"the operation cannot be performed in the present state"
    CUDA_ERROR_NOT_FOUND c"named symbol not found"
    CUDA_ERROR_NOT_READY c"device not ready"
    CUDA_ERROR_ILLEGAL_ADDRESS c"an illegal memory access was encountered"
    CUDA_ERROR_LAUNCH_TIMEOUT c"the launch timed out and was terminated"
    CUDA_ERROR_CONTEXT_IS_DESTROYED c"context is destroyed"
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED c"pointer does not correspond to a registered memory region"
    CUDA_ERROR_ASSERT c"device-side assert triggered"
    CUDA_ERROR_ILLEGAL_INSTRUCTION c"an illegal instruction was encountered"
    CUDA_ERROR_MISALIGNED_ADDRESS c"misaligned address"
    CUDA_ERROR_LAUNCH_FAILED c"unspecified launch failure"
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE c"too many blocks in cooperative launch"
    CUDA_ERROR_NOT_PERMITTED c"operation not permitted"
    CUDA_ERROR_NOT_SUPPORTED c"operation not supported"
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED c"operation not permitted when stream is capturing"
    CUDA_ERROR_STREAM_CAPTURE_UNMATCHED c"operation failed due to an unmatched capture of a stream"
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION c"dependency created on uncaptured work in another stream"
    CUDA_ERROR_CAPTURED_EVENT c"operation not permitted on an event last recorded in a capturing stream"
    CUDA_ERROR_INVALID_CLUSTER_SIZE c"invalid cluster size"
    CUDA_ERROR_UNKNOWN c"unknown error"
}

/// Returns the name and the text of an error that this driver gives.
pub fn find(code: u32) -> Option<(&'static CStr, &'static CStr)> {
    let found = ERRORS.iter().find(|(known, ..)| *known as u32 == code)?;
    Some((found.1, found.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_that_a_function_gives_has_a_name() {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let mut folders = vec![std::path::PathBuf::from(sources)];
        let mut named = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                for rest in text.split("CUDA_ERROR_").skip(1) {
                    let end = rest.find(|c: char| c != '_' && !c.is_ascii_uppercase()).unwrap();
                    let name = format!("CUDA_ERROR_{}", &rest[..end]);
                    if name.len() > "CUDA_ERROR_".len() {
                        named += 1;
                        let known = ERRORS.iter().any(|(_, known, _)| known.to_bytes() == name.as_bytes());
                        assert!(known, "{name} in {} has no text", path.display());
                    }
                }
            }
        }
        assert!(named > ERRORS.len());
        assert_eq!(find(700).unwrap().0, c"CUDA_ERROR_ILLEGAL_ADDRESS");
        assert!(find(12345).is_none());
    }
}
