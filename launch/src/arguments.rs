//! The arguments of a launch: the bytes of the parameters, and the memory that they point to.

use ptx::launch::{Extent, MemoryLength, Parameter, Plain, RawMatrix, RawSlice};
use std::fmt;

use crate::{Argument, Function, LaunchConfig, LaunchProblem, Memory};

/// Bytes at the greatest alignment that a parameter can have: that of a tensor map.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Unit([u8; 64]);

impl Unit {
    fn bytes(units: &[Self]) -> &[u8] {
        // SAFETY: a unit is 64 bytes without padding.
        unsafe { std::slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
    }

    fn bytes_mut(units: &mut [Self]) -> &mut [u8] {
        // SAFETY: as for `bytes`; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(units.as_mut_ptr().cast(), size_of_val(units)) }
    }
}

/// A type of a parameter whose bytes are all initialized.
///
/// # Safety
///
/// The type has no padding.
pub unsafe trait NoPadding {}

macro_rules! no_padding {
    ($($T:ty),*) => { $(
        // SAFETY: a scalar has no padding.
        unsafe impl NoPadding for $T {}
    )* };
}
no_padding!(bool, u8, i8, u16, i16, u32, i32, u64, i64, usize, isize, f32, f64);
// SAFETY: an address of 64 bits and a length of 64 bits have no padding.
#[cfg(target_pointer_width = "64")]
unsafe impl<T> NoPadding for RawSlice<T> {}
// SAFETY: an address of 64 bits and two extents of 32 bits have no padding.
#[cfg(target_pointer_width = "64")]
unsafe impl<T> NoPadding for RawMatrix<T> {}

/// The bytes of the arguments.
#[derive(Default)]
struct Values {
    units: Vec<Unit>,
    /// The first unit and the size in bytes of each argument.
    places: Vec<(usize, usize)>,
}

impl Values {
    fn push<T: NoPadding>(&mut self, value: T) {
        let start = self.zeros::<T>();
        // SAFETY: `zeros` has added units at `start` that hold a `T`, with at least its alignment. A `T` has no padding
        // (`NoPadding`), so all bytes stay initialized.
        unsafe { self.units.as_mut_ptr().add(start).cast::<T>().write(value) };
    }

    /// Adds a value whose padding is zero.
    fn push_plain<T: Plain>(&mut self, value: T) {
        let start = self.zeros::<T>();
        value.write_to(&mut Unit::bytes_mut(&mut self.units[start..])[..size_of::<T>()]);
    }

    /// Adds zeros for a `T`, and returns the first unit of the zeros.
    fn zeros<T>(&mut self) -> usize {
        const { assert!(align_of::<T>() <= align_of::<Unit>() && size_of::<T>() > 0) };
        let start = self.units.len();
        self.units.resize(start + size_of::<T>().div_ceil(size_of::<Unit>()), Unit([0; 64]));
        self.places.push((start, size_of::<T>()));
        start
    }
}

/// The arguments of a launch on a queue. Each piece of memory stays in use until the arguments are dropped, after the launch.
pub struct Arguments<'l, 'a, F: Function> {
    function: &'l F,
    queue: &'a F::Queue,
    pub(crate) config: &'l LaunchConfig,
    /// The names of the parameters. A launch by name has none.
    names: &'static [&'static str],
    values: Values,
    guards: Vec<F::Guard<'a>>,
}

impl<'l, 'a, F: Function> Arguments<'l, 'a, F> {
    /// Makes the arguments of a launch of `function` by its name.
    ///
    /// # Errors
    ///
    /// [`LaunchProblem::Argument`], if the queue cannot use the memory of an argument.
    pub fn by_name(
        function: &'l F,
        queue: &'a F::Queue,
        config: &'l LaunchConfig,
        arguments: impl KernelArguments<'a, ByName, F>,
    ) -> Result<Self, F::Error> {
        Self::new(function, queue, config, &[], arguments)
    }

    pub(crate) fn new<P>(
        function: &'l F,
        queue: &'a F::Queue,
        config: &'l LaunchConfig,
        names: &'static [&'static str],
        arguments: impl KernelArguments<'a, P, F>,
    ) -> Result<Self, F::Error> {
        let mut list = Self { function, queue, config, names, values: Values::default(), guards: Vec::new() };
        arguments.pass(&mut list)?;
        Ok(list)
    }

    /// Returns the queue of the launch.
    #[must_use]
    pub fn queue(&self) -> &'a F::Queue {
        self.queue
    }

    /// Returns the bytes of the parameters, each aligned to 64 bytes.
    pub fn bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.values.places.iter().map(|(start, size)| &Unit::bytes(&self.values.units[*start..])[..*size])
    }

    /// Returns the guards that keep the memory in use.
    #[must_use]
    pub fn guards(&self) -> &[F::Guard<'a>] {
        &self.guards
    }

    /// Compares the arguments with the sizes of a kernel's parameters.
    ///
    /// # Errors
    ///
    /// The text of the first difference.
    pub fn compare(&self, parameters: &[usize]) -> Result<(), String> {
        let places = &self.values.places;
        if parameters.len() != places.len() {
            return Err(format!("it has {} parameters, not {}", parameters.len(), places.len()));
        }
        let mut pairs = parameters.iter().zip(places).enumerate();
        match pairs.find(|(_, (parameter, (_, size)))| *parameter != size) {
            None => Ok(()),
            Some((i, (parameter, (_, size)))) => {
                Err(format!("parameter {i} has {parameter} bytes, the argument has {size}"))
            }
        }
    }

    /// Adds the bytes of a parameter. `Raw` is the parameter's type on the device, or a type of the same size and alignment.
    pub fn push<Raw, T: NoPadding>(&mut self, value: T) {
        const { assert!(size_of::<T>() == size_of::<Raw>() && align_of::<T>() == align_of::<Raw>()) };
        self.values.push(value);
    }

    /// Adds the bytes of a plain value.
    pub(crate) fn push_plain<T: Plain>(&mut self, value: T) {
        self.values.push_plain(value);
    }

    /// Borrows memory until the launch is queued, and adds its address.
    ///
    /// # Errors
    ///
    /// [`LaunchProblem::Argument`], if the queue cannot use the memory.
    pub fn push_address<T, M: Memory<'a, F, T>>(&mut self, memory: M) -> Result<(), F::Error> {
        let (address, _) = self.lend::<T, M>(memory, 1)?;
        self.push::<u64, u64>(address);
        Ok(())
    }

    /// Borrows memory until the launch is queued, and returns the memory's address and number of elements.
    pub(crate) fn lend<T, M: Memory<'a, F, T>>(
        &mut self,
        memory: M,
        align: u64,
    ) -> Result<(u64, usize), F::Error> {
        let region = memory.lend(self.queue).map_err(|reason| self.refuse(reason))?;
        self.guards.push(region.guard);
        if region.address.is_multiple_of(align) {
            Ok((region.address, region.len))
        } else {
            Err(self
                .refuse(format!("starts at {:#x}, which is no multiple of {align} bytes", region.address)))
        }
    }

    /// Returns the error that refuses the current argument.
    pub(crate) fn refuse(&self, reason: String) -> F::Error {
        self.refuse_argument(self.values.places.len(), reason)
    }

    fn refuse_argument(&self, number: usize, reason: String) -> F::Error {
        let argument = match self.names.get(number) {
            Some(name) => format!("{number} (`{name}`)"),
            None => number.to_string(),
        };
        self.function.refuse(LaunchProblem::Argument(argument, reason))
    }

    /// Refuses memory that has fewer elements than the kernel takes of it, and a matrix of other rows.
    pub(crate) fn check_lengths(&self, lengths: &[MemoryLength]) -> Result<(), F::Error> {
        let bytes: Vec<_> = self.bytes().collect();
        let number = |bytes: &[u8]| match *bytes {
            [a, b, c, d] => u64::from(u32::from_ne_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            _ => unreachable!("`Count` is implemented for numbers of four and eight bytes"),
        };
        let value = |extent: Extent| match extent {
            Extent::Parameter(index) => number(bytes[index]),
            Extent::Constant(n) => n as u64,
        };
        for MemoryLength { parameter, extents } in lengths {
            // The bytes of a slice and of a matrix: the address, then the extents.
            let of_memory = &bytes[*parameter][size_of::<u64>()..];
            let problem = match extents {
                [rows, columns] => {
                    let (of_rows, of_columns) = of_memory.split_at(size_of::<u32>());
                    let [has, takes] =
                        [[number(of_rows), number(of_columns)], [value(*rows), value(*columns)]];
                    (has[0] < takes[0] || has[1] != takes[1]).then(|| {
                        format!(
                            "has {} rows of {} elements, and the kernel takes {} rows of {} elements",
                            has[0], has[1], takes[0], takes[1]
                        )
                    })
                }
                extents => {
                    let (has, takes) = (number(of_memory), extents.iter().map(|extent| value(*extent)).sum());
                    (has < takes).then(|| format!("has {has} elements, and the kernel takes {takes}"))
                }
            };
            if let Some(problem) = problem {
                return Err(self.refuse_argument(*parameter, problem));
            }
        }
        Ok(())
    }

    /// Refuses a programmatic dependent launch unless all memory of the kernel waits for the grids before it.
    fn check_programmatic(&self, early: bool, prerequisite: bool) -> Result<(), F::Error> {
        let allowed = !self.config.programmatic || (!early && prerequisite);
        if allowed { Ok(()) } else { Err(self.function.refuse(LaunchProblem::Programmatic)) }
    }
}

impl<F: Function> fmt::Debug for Arguments<'_, '_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arguments({})", self.values.places.len())
    }
}

/// The parameters of a kernel that is launched by its name. Only their sizes are known.
#[derive(Debug, Clone, Copy)]
pub enum ByName {}

/// The arguments of a launch: a tuple of up to twelve [`Argument`]s, one for each parameter of the tuple `P`. For a launch by
/// name, `P` is [`ByName`].
///
/// # Safety
///
/// `pass` adds the bytes of all parameters, in order. Unless `P` is [`ByName`], `pass` refuses a programmatic dependent launch of
/// a kernel with memory outside of `Prerequisite`s, or without a `Prerequisite`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to this kernel",
    label = "the parameters of the kernel are `{P}`",
    note = "`Global<T>` takes `&x`, a handle that writes takes `&mut y`, for `x` and `y` of `CudaSlice<T>`; a matrix takes \
            `Matrix::new(&x, rows, columns)`, a tensor `Tensor::new(&x, [width, height])`",
    note = "pass a tuple with one argument for each parameter: `(2.0, &x, &mut y)`, and `()` for none; a raw pointer takes its address, a `u64`; see `ptx_host::Argument`"
)]
pub unsafe trait KernelArguments<'a, P, F: Function> {
    /// Adds the arguments to the launch.
    ///
    /// # Errors
    ///
    /// The first rule that an argument breaks.
    fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error>;
}

macro_rules! tuples {
    () => { tuples! { @one } };
    ($A:ident $P:ident $($rest:ident)*) => {
        tuples! { @one $A $P $($rest)* }
        tuples! { $($rest)* }
    };
    (@one $($A:ident $P:ident)*) => {
        // SAFETY: `pass` adds an argument for each parameter, in order, and `check_programmatic` refuses what the trait refuses.
        unsafe impl<'a, F: Function, $($P: Parameter, $A: Argument<'a, $P::Kind, F>),*> KernelArguments<'a, ($($P,)*), F>
            for ($($A,)*)
        {
            fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
                arguments.check_programmatic(false $(|| $P::EARLY)*, false $(|| $P::PREREQUISITE)*)?;
                tuples! { @pass self arguments $($A)* }
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: `pass` adds the arguments in order. For `ByName`, the trait requires no more.
        unsafe impl<'a, F: Function, $($A: Argument<'a, ByName, F>),*> KernelArguments<'a, ByName, F> for ($($A,)*) {
            fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
                tuples! { @pass self arguments $($A)* }
            }
        }
    };
    (@pass $self:ident $arguments:ident $($A:ident)*) => {{
        #[allow(non_snake_case)]
        let ($($A,)*) = $self;
        $( $A.pass($arguments)?; )*
        let _ = $arguments;
        Ok(())
    }};
}
tuples! { A A0 B B0 C C0 D D0 E E0 G G0 H H0 I I0 J J0 K K0 L L0 M M0 }
