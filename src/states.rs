//! The macros of the types that guard memory: [`states!`] is a table of states, [`handles!`] a list of handles.

/// A table of states (the rows) and of the marker traits that a state can have (the columns). A method that only some states
/// allow is bound by a marker trait.
///
/// ```text
/// states! {
///     uses_of_memory [Sealed] [Readable "threads read", AsyncSource "copies read"]
///     /// State: …
///     Loaded: Readable, AsyncSource;
///     /// State: …
///     Written: ;
/// }
/// ```
///
/// A row with documentation declares its state; another row is of a type that is declared elsewhere, such as a struct with
/// fields. A state implements the traits of the first bracket, and those that its row names, with the items in braces if a
/// trait has items. It is asserted that the state implements no other trait of the columns. In `ReadOnly<After = Loaded>`,
/// `After` is a parameter of the type and of its implementations, and `Loaded` is what the assertions take for it.
///
/// `uses_of_memory!()` is the table in Markdown, for the documentation of the handle. The columns have the headings in quotes.
macro_rules! states {
    // `$d` is the dollar of the macro that this one defines.
    ($table:ident $every:tt $columns:tt $($rows:tt)*) => { states! { @($) $table $every $columns $($rows)* } };
    (@($d:tt) $table:ident $every:tt $columns:tt $(
        $(#[$doc:meta])* $State:ident $(<$Any:ident = $One:ty>)?: $( $Has:ident $({ $($item:tt)* })? ),*;
    )*) => {
        /// `$table!(State Trait { yes } { no })` is `yes` if the state's row names the trait, otherwise `no`.
        #[allow(unused_macros, reason = "a table of one column is not shown")]
        macro_rules! $table {
            () => { concat!(states!(@heading $columns), $( states!(@line $table $State $columns) ),*) };
            $( $( ($State $Has { $d($d yes:tt)* } $d no:tt) => { $d($d yes)* }; )* )*
            ($d State:ident $d Trait:ident $d yes:tt { $d($d no:tt)* }) => { $d($d no)* };
        }
        $(
            states! { @declare $State $(#[$doc])* }
            states! {
                @row $table $State [ $(<$Any>)? ] [ $State $(<$One>)? ] $every $columns { $( $Has { $($($item)*)? } )* }
            }
        )*
    };

    (@declare $State:ident) => {};
    (@declare $State:ident $(#[$doc:meta])+) => {
        $(#[$doc])+
        #[derive(Debug)]
        pub enum $State {}
    };

    // The implementations of a state, and an assertion for each other trait.
    (
        @row $table:ident $State:ident $generics:tt [ $One:ty ]
        [ $($Every:ident),* ] [ $( $Trait:ident $heading:literal ),* ] { $( $Has:ident $items:tt )* }
    ) => {
        $( states! { @impl $Every $State $generics {} } )*
        $( states! { @impl $Has $State $generics $items } )*
        $( $table! { $State $Trait {} { static_assertions::assert_not_impl_any!($One: $Trait); } } )*
        const _: () = {
            /// Refuses a trait that is not a column: nothing would assert that the other states lack it.
            #[allow(unused_macros, reason = "a state may have no trait")]
            macro_rules! column { $( ($Trait) => {}; )* }
            $( column! { $Has } )*
        };
    };
    // The table lists the implementations, so errors need not.
    (@impl $Trait:ident $State:ident [ $($generics:tt)* ] $items:tt) => {
        #[diagnostic::do_not_recommend]
        impl $($generics)* $Trait for $State $($generics)* $items
    };

    // The table in Markdown.
    (@heading [ $( $Trait:ident $heading:literal ),* ]) => {
        concat!("| |", $( $heading, "|", )* "\n|---|", $( states!(@rule $Trait), )* "\n")
    };
    (@rule $Trait:ident) => { ":-:|" };
    (@line $table:ident $State:ident [ $( $Trait:ident $heading:literal ),* ]) => {
        concat!("| [`", stringify!($State), "`] |", $( $table!($State $Trait { "✓" } { "" }), "|", )* "\n")
    };
}

/// Asserts of each handle that it cannot be duplicated, and that it stays in its thread: a shared address is valid in its own CTA
/// only, and a `static` would carry a handle to another CTA. `Copy:` before the list is for handles that can be duplicated, but
/// stay in their thread too.
macro_rules! handles {
    (Copy: $( $Handle:ty ),* $(,)?) => { $(
        static_assertions::assert_impl_all!($Handle: Copy);
        static_assertions::assert_not_impl_any!($Handle: Send, Sync);
    )* };
    (Clone: $( $Handle:ty ),* $(,)?) => { $(
        static_assertions::assert_impl_all!($Handle: Clone);
        static_assertions::assert_not_impl_any!($Handle: Copy, Send, Sync);
    )* };
    ($( $Handle:ty ),* $(,)?) => { $( static_assertions::assert_not_impl_any!($Handle: Copy, Clone, Send, Sync); )* };
}
