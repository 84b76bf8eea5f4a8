//! Blocks of a tensor that the CTAs of a cluster write together.

use super::Cluster;
use crate::raw;
use crate::shared::Element;
use crate::tensor::{BoxShape, MatrixBox, TensorBlocksMut, TensorMapMut};

impl<T: Element, S: MatrixBox + BoxShape<Boxes = [u32; 2]>> TensorMapMut<T, S> {
    /// Divides a matrix into blocks of `COLUMNS` by `ROWS` boxes, as [`blocks`](TensorMapMut::blocks) does, for CTAs of a cluster that
    /// work together: they take blocks of one column, one below the other, in the order of their ranks. So they can share what a column
    /// of blocks needs, or compute one large block together.
    ///
    /// The blocks of a cluster have one number, and clusters take numbers as CTAs do in `blocks`. All CTAs of a cluster get
    /// equally many blocks: the last ones of a column can lie below the matrix. Stores to them change nothing.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: none, but for loads of the arguments.
    ///
    /// ```
    /// use ptx::{bf16, cluster::Cluster, qualifier::swizzle_mode, tensor::{Box2, TensorBlocksMut, TensorMapMut}};
    ///
    /// type Part = Box2<64, 64, swizzle_mode::B128>;
    ///
    /// /// Blocks of 128 rows and 256 columns: two CTAs of a cluster have 256 rows of the same columns.
    /// fn of_cta(cluster: &Cluster<'_>, c: TensorMapMut<bf16, Part>) -> TensorBlocksMut<bf16, Part, 4, 2> {
    ///     c.cluster_blocks::<4, 2>(cluster, 8)
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn cluster_blocks<const COLUMNS: u32, const ROWS: u32>(
        self,
        cluster: &Cluster<'_>,
        group: u32,
    ) -> TensorBlocksMut<T, S, COLUMNS, ROWS> {
        const { assert!(COLUMNS > 0 && ROWS > 0, "a block has at least one box") };
        meet!(cluster);
        let of_x = raw::nclusterid_x();
        let rank =
            raw::clusterid_x() + of_x * (raw::clusterid_y() + raw::nclusterid_y() * raw::clusterid_z());
        let clusters = of_x * raw::nclusterid_y() * raw::nclusterid_z();
        TensorBlocksMut::of_stack(
            self,
            [rank, clusters],
            [cluster.cta_rank(), cluster.cta_count().max(1)],
            group,
        )
    }
}
