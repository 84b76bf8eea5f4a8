//! Tests the checks of shapes, which need no device.

use ptx_launch::{LaunchConfig, LaunchLimits};

const HOPPER: LaunchLimits = LaunchLimits {
    max_threads: 1024,
    max_dynamic_shared_bytes: 227 * 1024,
    required_block: None,
    required_cluster: None,
    needs_cluster: false,
    has_clusters: true,
    has_cooperative: true,
};

#[test]
fn the_largest_legal_launches_pass() {
    LaunchConfig::new((0x7fff_ffff, 65535, 65535), (32, 32)).check(&HOPPER).unwrap();
    let config = LaunchConfig::new((8, 4), 1024).cluster((8, 2)).dynamic_shared(227 * 1024).cooperative();
    config.check(&HOPPER).unwrap();
    config.check_resident(32).unwrap();
    let fixed = LaunchLimits { required_block: Some(64.into()), required_cluster: Some(2.into()), ..HOPPER };
    LaunchConfig::new(4, 64).check(&fixed).unwrap();
    LaunchConfig::new(4, 64).cluster(2).check(&LaunchLimits { needs_cluster: true, ..fixed }).unwrap();
}

#[test]
fn each_wrong_launch_has_its_message() {
    let grid = |x, y| LaunchConfig::new((x, y), 1);
    let block = |x, y, z| LaunchConfig::new(1, (x, y, z));
    let one = grid(1, 1);
    let old = LaunchLimits { has_clusters: false, has_cooperative: false, ..HOPPER };
    let fixed = LaunchLimits { required_block: Some((64, 2).into()), ..HOPPER };
    let pairs = LaunchLimits { required_cluster: Some(2.into()), ..HOPPER };
    let few =
        LaunchLimits { max_threads: 256, max_dynamic_shared_bytes: 1024, needs_cluster: true, ..HOPPER };
    let cases = [
        (grid(0, 1), HOPPER, "the grid (0, 1, 1) has an extent of 0; every extent must be at least 1"),
        (grid(1, 0), HOPPER, "the grid (1, 0, 1) has an extent of 0"),
        (block(256, 0, 1), HOPPER, "the block (256, 0, 1) has an extent of 0"),
        (grid(1 << 31, 1), HOPPER, "the grid (2147483648, 1, 1) exceeds the device's limit of (2147483647,"),
        (grid(1, 65536), HOPPER, "the grid (1, 65536, 1) exceeds the device's limit of (2147483647, 65535"),
        (block(1, 1, 65), HOPPER, "the block (1, 1, 65) exceeds the device's limit of (1024, 1024, 64)"),
        (block(1025, 1, 1), HOPPER, "the block (1025, 1, 1) exceeds the device's limit"),
        (block(33, 32, 1), HOPPER, "a block of (33, 32, 1) has more than the 1024 threads"),
        (block(1024, 1024, 64), HOPPER, "a block of (1024, 1024, 64) has more than the 1024 threads"),
        (block(257, 1, 1), few, "a block of (257, 1, 1) has more than the 256 threads that"),
        (
            block(128, 1, 1),
            fixed,
            "a block of (128, 1, 1), but the kernel was built for blocks of (64, 2, 1)",
        ),
        (one.dynamic_shared(232_449), HOPPER, "232449 bytes of dynamic shared memory, but at most 232448"),
        (one.dynamic_shared(1025), few, "1025 bytes of dynamic shared memory, but at most 1024 are left"),
        (one.cooperative(), old, "this device has no cooperative launches"),
        (grid(2, 1).cluster(2), old, "clusters need compute capability 9.0"),
        (grid(3, 1).cluster(2), HOPPER, "the grid (3, 1, 1) is not made of whole clusters of (2, 1, 1)"),
        (grid(3, 1).cluster(0), HOPPER, "the grid (3, 1, 1) is not made of whole clusters of (0, 1, 1)"),
        (grid(34, 1).cluster(17), HOPPER, "a cluster of (17, 1, 1) has more than 16 blocks"),
        (
            grid(4, 1).cluster(4),
            pairs,
            "a cluster of (4, 1, 1), but the kernel was built for clusters of (2,",
        ),
        (grid(3, 1), pairs, "the grid (3, 1, 1) is not made of whole clusters of (2, 1, 1)"),
        (one, few, "the kernel runs in clusters (.explicitcluster), and the launch names none"),
    ];
    for (config, limits, message) in cases {
        let shown = config.check(&limits).expect_err(message).to_string();
        assert!(shown.starts_with(message), "{shown}\nwanted: {message}");
    }
    let refused = one.cooperative().check_resident(0).unwrap_err().to_string();
    assert!(refused.starts_with("a cooperative grid of (1, 1, 1), but at most 0 blocks"), "{refused}");
}
