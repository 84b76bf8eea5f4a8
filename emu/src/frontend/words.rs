//! The words of an opcode. Each is taken by the decoder of the instruction: a word that nobody takes refuses the module.
//! `ptxas` takes modifiers in any order (`vote.ballot.sync.b32`, `add.s32.sat`), if the types are in order: they come last here.

use std::cell::Cell;

use rustc_apfloat::Round;

use crate::frontend::ast::Operand;
use crate::frontend::op::{Rmw, Scope, Sem, Space, Type};
use crate::numbers::float::Format;
use crate::numbers::narrow::Narrow;

/// The words of an opcode, and the operands of the instruction. A method that asks for a word takes it.
pub struct Words<'a> {
    all: Vec<&'a str>,
    /// A bit for each word that has been taken.
    taken: Cell<u64>,
    pub operands: &'a [Operand],
}

impl<'a> Words<'a> {
    pub fn new(opcode: &'a str, operands: &'a [Operand]) -> Self {
        // The 64th word and those after it stay: no instruction has as many.
        let mut all: Vec<_> = opcode.split('.').collect();
        all[1..].sort_by_key(|word| ty(word).is_some());
        Self { all, taken: Cell::new(1), operands }
    }

    fn take(&self, place: usize) {
        self.taken.set(self.taken.get() | 1u64.checked_shl(place as u32).unwrap_or(0));
    }

    /// Returns the first word that nobody has taken.
    pub fn left(&self) -> Option<&'a str> {
        let is_left = |place: &usize| self.taken.get() >> (*place).min(63) & 1 == 0 || *place >= 64;
        (0..self.all.len()).find(is_left).map(|place| self.all[place])
    }

    /// Returns all words, for a decoder that compares the whole opcode, and takes them.
    pub fn whole(&self) -> &[&'a str] {
        self.taken.set(u64::MAX);
        &self.all
    }

    pub fn has(&self, word: &str) -> bool {
        self.find(|other| (other == word).then_some(())).is_some()
    }

    /// Takes words that the interpreter gives no meaning.
    pub fn ignore(&self, means_nothing: impl Fn(&str) -> bool) {
        for (place, word) in self.all.iter().enumerate() {
            if means_nothing(word) {
                self.take(place);
            }
        }
    }

    /// Returns the first word of a kind. Takes none.
    pub fn seek(&self, is: impl Fn(&str) -> bool) -> Option<&'a str> {
        self.all.iter().copied().find(|word| is(word))
    }

    pub fn first(&self) -> &'a str {
        self.all[0]
    }

    /// Returns the word at a place, or an empty one after the last. `find` finds a modifier that has no fixed place.
    pub fn at(&self, place: usize) -> &'a str {
        let Some(word) = self.all.get(place) else { return "" };
        self.take(place);
        word
    }

    pub fn last(&self) -> &'a str {
        self.at(self.all.len() - 1)
    }

    pub fn find<T>(&self, of: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (place, found) =
            self.all.iter().enumerate().find_map(|(place, word)| Some((place, of(word)?)))?;
        self.take(place);
        Some(found)
    }

    fn all_of<T>(&self, of: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let found = self.all.iter().enumerate().skip(1).filter_map(|(place, word)| {
            let found = of(word)?;
            self.take(place);
            Some(found)
        });
        found.collect()
    }

    /// Returns whether the opcode begins so. Takes the words if it does.
    pub fn starts(&self, words: &[&str]) -> bool {
        let starts = self.all.starts_with(words);
        if starts {
            (0..words.len()).for_each(|place| self.take(place));
        }
        starts
    }

    /// Returns the last type.
    pub fn ty(&self) -> Option<Type> {
        let (place, ty) =
            self.all.iter().enumerate().rev().find_map(|(place, word)| Some((place, ty(word)?)))?;
        self.take(place);
        Some(ty)
    }

    pub fn types(&self) -> Vec<Type> {
        self.all_of(ty)
    }

    pub fn sem(&self) -> Option<Sem> {
        self.find(|word| {
            Some(match word {
                "weak" => Sem::Weak,
                "relaxed" | "volatile" => Sem::Relaxed,
                "acquire" => Sem::Acquire,
                "release" => Sem::Release,
                "acq_rel" => Sem::AcqRel,
                "sc" => Sem::SeqCst,
                _ => return None,
            })
        })
    }

    pub fn scope(&self) -> Option<Scope> {
        // In `.sync_restrict::shared::cta.cluster`, the scope is a word of its own.
        self.find(|word| {
            Some(match word {
                "cta" => Scope::Cta,
                "cluster" => Scope::Cluster,
                "gpu" | "gl" => Scope::Gpu,
                "sys" => Scope::Sys,
                _ => return None,
            })
        })
    }

    pub fn spaces(&self) -> Vec<Space> {
        self.all_of(space)
    }

    pub fn space(&self) -> Space {
        self.find(space).unwrap_or(Space::Generic)
    }

    pub fn rmw(&self) -> Option<Rmw> {
        self.find(rmw)
    }

    pub fn round(&self) -> Option<Round> {
        self.find(|word| if word == "rna" { Some(Round::NearestTiesToAway) } else { rounding(word) })
    }

    /// Returns the rounding to an integral value.
    pub fn integral_round(&self) -> Option<Round> {
        self.find(|word| {
            Some(match word {
                "rni" => Round::NearestTiesToEven,
                "rzi" => Round::TowardZero,
                "rmi" => Round::TowardNegative,
                "rpi" => Round::TowardPositive,
                _ => return None,
            })
        })
    }
}

fn space(word: &str) -> Option<Space> {
    Some(match word {
        "global" => Space::Global,
        "shared" | "shared::cta" => Space::SharedCta,
        "shared::cluster" => Space::SharedCluster,
        "local" => Space::Local,
        "const" => Space::Const,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return None,
    })
}

/// Returns the rounding of a sum or a product.
pub fn rounding(word: &str) -> Option<Round> {
    Some(match word {
        "rn" => Round::NearestTiesToEven,
        "rz" => Round::TowardZero,
        "rm" => Round::TowardNegative,
        "rp" => Round::TowardPositive,
        _ => return None,
    })
}

fn rmw(word: &str) -> Option<Rmw> {
    Some(match word {
        "and" => Rmw::And,
        "or" => Rmw::Or,
        "xor" => Rmw::Xor,
        "exch" => Rmw::Exch,
        "cas" => Rmw::Cas,
        "inc" => Rmw::Inc,
        "dec" => Rmw::Dec,
        "add" => Rmw::Add,
        "min" => Rmw::Min,
        "max" => Rmw::Max,
        _ => return None,
    })
}

/// Returns the type that a word names.
pub fn ty(word: &str) -> Option<Type> {
    Some(match word {
        "pred" => Type::Bits(1),
        "f16" => Type::Float(Format::F16),
        "bf16" => Type::Float(Format::Bf16),
        "f32" => Type::Float(Format::F32),
        "f64" => Type::Float(Format::F64),
        "f16x2" => Type::Packed(Format::F16, 2),
        "bf16x2" => Type::Packed(Format::Bf16, 2),
        "f32x2" => Type::Packed(Format::F32, 2),
        "e4m3" => Type::Float(Format::E4m3),
        "e5m2" => Type::Float(Format::E5m2),
        "e4m3x2" => Type::Packed(Format::E4m3, 2),
        "e5m2x2" => Type::Packed(Format::E5m2, 2),
        "e4m3x4" => Type::Packed(Format::E4m3, 4),
        "e5m2x4" => Type::Packed(Format::E5m2, 4),
        _ => {
            if let Some((name, count @ ("2" | "4"))) = word.rsplit_once('x') {
                return Some(Type::Narrow(Narrow::named(name)?, if count == "2" { 2 } else { 4 }));
            }
            let (kind, bits) = word.split_at_checked(1)?;
            let bits = bits.parse().ok().filter(|bits| [8, 16, 32, 64, 128].contains(bits))?;
            match kind {
                "b" => Type::Bits(bits),
                "u" => Type::Unsigned(bits),
                "s" => Type::Signed(bits),
                _ => return None,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_left_until_it_is_taken() {
        let words = Words::new("set.f16.lt.ftz.f16", &[]);
        assert_eq!(words.left(), Some("lt"));
        assert!(words.has("ftz") && !words.has("sat"));
        assert_eq!(words.at(1), "lt");
        // The last type alone.
        words.ty();
        assert_eq!(words.left(), Some("f16"));
        assert_eq!(words.types().len(), 2);
        assert_eq!(words.left(), None);
        // A word that is written twice is taken once.
        let words = Words::new("add.sat.sat.s32", &[]);
        assert!(words.has("sat") && words.has("sat"));
        assert_eq!((words.ty(), words.left()), (Some(Type::Signed(32)), Some("sat")));
        let long = "x.".repeat(100);
        let words = Words::new(&long, &[]);
        (0..64).for_each(|place| _ = words.at(place));
        assert_eq!(words.left(), Some("x"));
    }
}
