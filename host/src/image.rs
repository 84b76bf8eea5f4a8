//! Images: PTX and cubins, the choice among them, and the facts about them that the driver does not tell.

use std::fmt;

use crate::Dim3;

const ELF: &[u8] = b"\x7fELF";

/// A module compiled for one target. [`Module::from_images`](crate::Module::from_images) takes the best one for the device.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    /// The target that the image was built for, such as `sm_90a`.
    pub target: &'a str,
    /// PTX or a cubin.
    pub bytes: &'a [u8],
}

impl fmt::Display for Image<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.target, if self.is_cubin() { "cubin" } else { "PTX" })
    }
}

impl fmt::Debug for Image<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({self})")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Portability {
    Portable,
    Family,
    Architecture,
}

impl Image<'_> {
    fn is_cubin(&self) -> bool {
        self.bytes.starts_with(ELF)
    }

    /// Returns the compute capability and the portability of the target, or `None` if the text is not a target.
    fn parse_target(&self) -> Option<((u32, u32), Portability)> {
        let target = self.target.strip_prefix("sm_").or_else(|| self.target.strip_prefix("compute_"))?;
        let (number, portability) = match target.strip_suffix(['a', 'f']) {
            Some(number) if target.ends_with('a') => (number, Portability::Architecture),
            Some(number) => (number, Portability::Family),
            None => (target, Portability::Portable),
        };
        let number: u32 = number.parse().ok()?;
        Some(((number / 10, number % 10), portability))
    }

    /// Returns the rank of the image for a device, of which the greatest is best, or `None` if the image does not run there. An
    /// `a` image runs on its compute capability alone, an `f` image and a cubin on those of the same major and no older minor,
    /// PTX on all that are not older.
    fn rank(&self, device: (u32, u32)) -> Option<impl Ord + use<>> {
        let (of, portability) = self.parse_target()?;
        let runs = match portability {
            Portability::Architecture => of == device,
            Portability::Portable if !self.is_cubin() => of <= device,
            Portability::Family | Portability::Portable => of.0 == device.0 && of.1 <= device.1,
        };
        // A cubin ranks first, because it needs no compiler.
        runs.then_some((self.is_cubin(), of, portability))
    }
}

/// Returns the images for a device of this compute capability, the best first.
pub(crate) fn ranked<'i, 'a>(images: &'i [Image<'a>], device: (u32, u32)) -> Vec<&'i Image<'a>> {
    let mut ranked: Vec<_> = images.iter().filter_map(|image| Some((image.rank(device)?, image))).collect();
    ranked.sort_by(|(left, _), (right, _)| right.cmp(left));
    ranked.into_iter().map(|(_, image)| image).collect()
}

/// Completes an image for the driver, which takes no length: PTX must end in NUL, and a cubin must not be truncated.
pub(crate) fn loadable(mut image: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    if image.starts_with(ELF) {
        check_cubin(&image)?;
        return Ok(image);
    }
    let is_ptx = std::str::from_utf8(&image).is_ok_and(|text| {
        !text.contains('\0') && text.lines().any(|line| line.trim_start().starts_with(".version"))
    });
    if !is_ptx {
        return Err("it is neither PTX (text with a `.version` line) nor a cubin (an ELF file for CUDA)");
    }
    image.push(0);
    Ok(image)
}

/// Returns the little-endian number of `bytes` bytes at `at`.
fn number(image: &[u8], at: usize, bytes: usize) -> Option<usize> {
    let part = image.get(at..at.checked_add(bytes)?)?;
    Some(part.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte)))
}

fn check_cubin(image: &[u8]) -> Result<(), &'static str> {
    const EM_CUDA: usize = 190;
    const CUT_OFF: &str = "the cubin is truncated; build or copy it again";
    let field = |at, bytes| number(image, at, bytes).ok_or(CUT_OFF);
    if field(4, 1)? != 2 || field(5, 1)? != 1 || field(18, 2)? != EM_CUDA {
        return Err("it is an ELF file, but not a 64-bit cubin");
    }
    // The fields of the program headers, then those of the sections: offset, size of one, count.
    for [at, size, count] in [[0x20, 0x36, 0x38], [0x28, 0x3a, 0x3c]] {
        let end = field(at, 8)?.checked_add(field(size, 2)? * field(count, 2)?);
        if end.is_none_or(|end| end > image.len()) {
            return Err(CUT_OFF);
        }
    }
    Ok(())
}

/// Returns the block that `kernel` requires (`.reqntid`). The driver tells only the number of the block's threads.
pub(crate) fn required_block(image: &[u8], kernel: &str) -> Option<Dim3> {
    let [x, y, z] = if image.starts_with(ELF) {
        block_in_cubin(image, kernel)?
    } else {
        block_in_ptx(std::str::from_utf8(image).ok()?, kernel)?
    };
    Some(Dim3 { x, y, z })
}

fn block_in_ptx(ptx: &str, kernel: &str) -> Option<[u32; 3]> {
    let is_entry = |rest: &&str| rest.trim_start().strip_prefix(kernel).is_some_and(starts_no_name);
    let entry = ptx.split(".entry").skip(1).find(is_entry)?;
    let (_, extents) = entry.split('{').next()?.split_once(".reqntid")?;
    let extents = extents.split(['.', '\n']).next()?.split(',').map(|extent| extent.trim().parse());
    let extents: Vec<u32> = extents.collect::<Result<_, _>>().ok()?;
    let extent = |i: usize| extents.get(i).copied().unwrap_or(1);
    Some([extent(0), extent(1), extent(2)])
}

fn starts_no_name(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
}

/// Reads the attribute `EIATTR_REQNTID` in the section `.nv.info.KERNEL`.
fn block_in_cubin(image: &[u8], kernel: &str) -> Option<[u32; 3]> {
    const REQNTID: [u8; 4] = [0x04, 0x10, 12, 0];
    let (table, size) = (number(image, 0x28, 8)?, number(image, 0x3a, 2)?);
    let content = |section: usize| {
        let header = table + section * size;
        let (start, bytes) = (number(image, header + 0x18, 8)?, number(image, header + 0x20, 8)?);
        image.get(start..start.checked_add(bytes)?)
    };
    let names = content(number(image, 0x3e, 2)?)?;
    let name_of = |section: usize| names.get(number(image, table + section * size, 4)?..);
    let wanted = format!(".nv.info.{kernel}\0");
    let is_wanted =
        |section: &usize| name_of(*section).is_some_and(|name| name.starts_with(wanted.as_bytes()));
    let mut rest = content((0..number(image, 0x3c, 2)?).find(is_wanted)?)?;
    // Each attribute has a format, a name and a number. In format 4, the number is the size of the data that follows.
    while let Some((head, tail)) = rest.split_first_chunk::<4>() {
        if *head == REQNTID {
            let word = |i: usize| number(tail, 4 * i, 4).and_then(|word| u32::try_from(word).ok());
            return Some([word(0)?, word(1)?, word(2)?]);
        }
        let bytes = if head[0] == 4 { number(head, 2, 2)? } else { 0 };
        rest = tail.get(bytes..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &[u8] = b".version 8.0";

    #[test]
    fn the_best_image_that_runs_is_chosen() {
        // Each case has images by target, with `+` before a cubin, then a compute capability and the choice for it.
        let cases = [
            ("+sm_90a +sm_90 sm_90", (9, 0), "+sm_90a"),
            ("+sm_90 sm_90a", (9, 0), "+sm_90"),
            ("sm_90 sm_90a", (9, 0), "sm_90a"),
            ("+sm_90a sm_90a", (10, 0), ""),
            ("+sm_90a sm_90", (10, 0), "sm_90"),
            ("+sm_90 sm_90", (12, 1), "sm_90"),
            ("+sm_100 +sm_103 sm_90", (10, 0), "+sm_100"),
            ("+sm_100 +sm_103", (10, 3), "+sm_103"),
            ("+sm_103", (10, 0), ""),
            ("+sm_100a +sm_100f +sm_100", (10, 0), "+sm_100a"),
            ("+sm_100a +sm_100f +sm_100", (10, 3), "+sm_100f"),
            ("+sm_100f sm_100f", (11, 0), ""),
            ("sm_100f sm_100 sm_90", (10, 3), "sm_100f"),
            ("sm_100f sm_100 sm_90", (12, 0), "sm_100"),
            ("sm_100 compute_120", (12, 0), "compute_120"),
            ("sm_100", (9, 0), ""),
            ("+90a + +sm_x +sm_af", (9, 0), ""),
            ("", (9, 0), ""),
        ];
        for (images, device, choice) in cases {
            let images: Vec<_> = images
                .split_whitespace()
                .map(|image| match image.strip_prefix('+') {
                    Some(target) => Image { target, bytes: ELF },
                    None => Image { target: image, bytes: PTX },
                })
                .collect();
            let chosen = ranked(&images, device).first().map(ToString::to_string);
            let wanted = match choice.strip_prefix('+') {
                Some(target) => Some(format!("{target} (cubin)")),
                None => (!choice.is_empty()).then(|| format!("{choice} (PTX)")),
            };
            assert_eq!(chosen, wanted, "{images:?} on {device:?}");
        }
    }

    /// Returns a cubin with the sections of `kernel`'s attributes and of names.
    fn cubin(kernel: &str) -> Vec<u8> {
        let names = format!("\0.nv.info.{kernel}\0");
        let attributes =
            [[3, 0x50, 0, 0], [4, 0x66, 4, 0], [9; 4], [4, 0x10, 12, 0], [64, 0, 0, 0], [2, 0, 0, 0]];
        let attributes = [attributes.as_flattened(), &[1, 0, 0, 0]].concat();
        let mut image = vec![0u8; 64];
        image[..6].copy_from_slice(b"\x7fELF\x02\x01");
        for (at, value) in [(18, 190), (0x20, 64), (0x28, 64), (0x3a, 64), (0x3c, 2), (0x3e, 1)] {
            image[at] = value;
        }
        let mut start = 64 + 2 * 64;
        for (name, content) in [(1, attributes.len()), (0, names.len())] {
            let mut header = [0u8; 64];
            (header[0], header[0x18], header[0x20]) = (name, start as u8, content as u8);
            image.extend(header);
            start += content;
        }
        [image, attributes, names.into_bytes()].concat()
    }

    #[test]
    fn ptx_ends_in_nul_and_a_whole_cubin_is_taken_as_it_is() {
        let image = loadable(b"// made by hand\n  .version 8.0\n.target sm_90\n".to_vec()).unwrap();
        assert_eq!(image.last(), Some(&0));
        assert_eq!(loadable(cubin("k")).unwrap(), cubin("k"));
    }

    #[test]
    fn what_the_driver_would_misread_is_refused() {
        for len in [6, 63, 64, 64 + 2 * 64 - 1] {
            let cut = loadable(cubin("k")[..len].to_vec());
            assert_eq!(cut, Err("the cubin is truncated; build or copy it again"), "{len} bytes");
        }
        let mut host_program = cubin("k");
        host_program[18] = 62;
        assert_eq!(loadable(host_program), Err("it is an ELF file, but not a 64-bit cubin"));
        for other in [&b""[..], b"hello", b".version 8.0\n\0", b"\xff\xfe.version"] {
            assert!(loadable(other.to_vec()).unwrap_err().starts_with("it is neither PTX"), "{other:?}");
        }
    }

    #[test]
    fn the_required_block_is_read() {
        let ptx = b".visible .entry k2()\n.reqntid 7\n{\n}\n.entry k(\n.param .u64 a\n)\n.reqntid 64, 2 .maxnreg 9\n{}\n.entry none()\n{\n.reqntid 5";
        let blocks = ["k", "k2", "none", "absent"].map(|kernel| required_block(ptx, kernel));
        assert_eq!(blocks, [Some((64, 2).into()), Some(7.into()), None, None]);
        assert_eq!(required_block(&cubin("k"), "k"), Some((64, 2).into()));
        assert_eq!(required_block(&cubin("k2"), "k"), None);
        assert_eq!(required_block(&cubin("k")[..70], "k"), None);
    }
}
