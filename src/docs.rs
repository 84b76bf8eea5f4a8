//! SOUNDNESS, GLOSSARY, DEBUGGING, INSTRUCTIONS and the book, as modules of the documentation. Other builds lack this module.

macro_rules! pages {
    ($( $page:ident $path:literal; )*) => { $( #[doc = ptx_macros::page!($path)] pub mod $page {} )* };
}
pages! {
    soundness "docs/SOUNDNESS.md";
    glossary "docs/GLOSSARY.md";
    debugging "docs/DEBUGGING.md";
    instructions "docs/INSTRUCTIONS.md";
}

/// The book, from a first kernel to clusters, pipelines, tests without a GPU and a port from CUDA C++.
pub mod book {
    #![doc = ptx_macros::page!("docs/book/src/SUMMARY.md")]

    pages! {
        introduction "docs/book/src/introduction.md";
        first_kernel "docs/book/src/first_kernel.md";
        shared_memory "docs/book/src/shared_memory.md";
        mbarriers "docs/book/src/mbarriers.md";
        bulk_copies "docs/book/src/bulk_copies.md";
        tensor_maps "docs/book/src/tensor_maps.md";
        clusters "docs/book/src/clusters.md";
        atomics_and_fences "docs/book/src/atomics_and_fences.md";
        half_precision "docs/book/src/half_precision.md";
        pipelines "docs/book/src/pipelines.md";
        tensor_cores "docs/book/src/tensor_cores.md";
        testing "docs/book/src/testing.md";
        performance "docs/book/src/performance.md";
        recipes "docs/book/src/recipes.md";
        recipes_large "docs/book/src/recipes_large.md";
        porting "docs/book/src/porting.md";
        without_the_tools "docs/book/src/without_the_tools.md";
        soundness "docs/book/src/soundness.md";
        faq "docs/book/src/faq.md";
    }
}
