//! Algorithms without locks on `ptx::atomic` and `ptx::global`, in safe code. `ORDER` is `RIGHT`, or names a mistake. `emu/tests/flags.rs`
//! runs them: the right ones give one result under every schedule, and each mistake gives another.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]
#![cfg_attr(not(target_arch = "nvptx64"), allow(dead_code, unused_imports))]

pub use half::f16;
use ptx::atomic::{GlobalAtomics, Messages};
use ptx::global::{Global, GlobalMut, GlobalRowsMut, GlobalScatter, GlobalTickets};
use ptx::group::Cta;
use ptx::qualifier::{scope, sem};
use ptx::reduce::ReduceMemory;
use ptx::registers::unroll;

ptx::panic_handler!();

pub const RIGHT: u32 = 0;
/// A store or an operation that others wait for is not a release.
pub const RELAXED_STORE: u32 = 1;
/// The load that waits is not an acquire.
pub const RELAXED_LOAD: u32 = 2;
/// A worker counts its item as done before it has counted the items that follow from it: another worker leaves, and with it the
/// ticket of an item that is put later.
pub const DONE_TOO_EARLY: u32 = 3;

type Words = GlobalAtomics<u32, scope::Gpu>;

/// Computes `output[b]` ← the sum of the words before word b, for a CTA for each word, by a look-back scan. Place `2 * b` has the word,
/// place `2 * b + 1` the sum of the words up to it.
#[ptx::kernel(unsafe(uniform), threads = 1, instances(<RIGHT>, <RELAXED_STORE>, <RELAXED_LOAD>))]
pub fn look_back<const ORDER: u32>(
    cta: Cta,
    input: Global<u32>,
    sums: Words,
    flags: Words,
    output: GlobalScatter<u32>,
) {
    let messages = Messages::new(sums, flags);
    let send = |place: usize, sum: u32| match ORDER {
        RELAXED_STORE => {
            if let (Some(to), Some(flag)) = (sums.get(place), flags.get(place)) {
                to.store(sum, sem::Relaxed);
                flag.store(1, sem::Relaxed);
            }
        }
        _ => _ = messages.send(place, sum, 1),
    };
    let receive = |place: usize| match ORDER {
        RELAXED_LOAD => {
            let (from, flag) = (sums.get(place)?, flags.get(place)?);
            (flag.load(sem::Relaxed) == 1).then(|| from.load(sem::Relaxed))
        }
        _ => messages.receive(place, 1),
    };
    let rank = cta.grid_rank() as usize;
    let word = input.get(rank).unwrap_or(0);
    send(2 * rank, word);
    let (mut below, mut before) = (rank, 0_u32);
    while below > 0 {
        if let Some(sum) = receive(2 * below - 1) {
            before = before.wrapping_add(sum);
            break;
        }
        if let Some(word) = receive(2 * below - 2) {
            before = before.wrapping_add(word);
            below -= 1;
        }
    }
    send(2 * rank + 1, before.wrapping_add(word));
    output.write(rank, before);
}

/// The counters of [`work`].
pub const COUNTERS: usize = 4;

/// A queue of numbers, which each worker takes by ticket. A number above 1 is followed by its two halves. Computes `output[b]` ← the
/// sum of all numbers, as worker b sees it when the queue has ended.
///
/// At the start, `items[0]` is a number, `flags[0]` is 1, and the counters are 0, 1, 1, 0: of items taken, of items put, of items
/// that are not done, and the sum.
#[ptx::kernel(unsafe(uniform), threads = 1, instances(<RIGHT>, <RELAXED_STORE>, <RELAXED_LOAD>, <DONE_TOO_EARLY>))]
pub fn work<const ORDER: u32>(
    cta: Cta,
    items: Words,
    flags: Words,
    #[len(COUNTERS)] counters: Words,
    output: GlobalScatter<u32>,
) {
    let queue = Messages::new(items, flags);
    let [taken, put, open, sum] = [0, 1, 2, 3].map(|i| counters.get(i));
    let (Some(taken), Some(put), Some(open), Some(sum)) = (taken, put, open, sum) else { return };
    let is_open = || match ORDER {
        RELAXED_LOAD => open.load(sem::Relaxed) > 0,
        _ => open.load(sem::Acquire) > 0,
    };
    let done = || match ORDER {
        RELAXED_STORE => open.add(u32::MAX, sem::Relaxed),
        _ => open.add(u32::MAX, sem::Release),
    };
    'items: loop {
        let ticket = taken.fetch_add(1, sem::Relaxed) as usize;
        let number = loop {
            if let Some(number) = queue.receive(ticket, 1) {
                break number;
            }
            if !is_open() {
                break 'items;
            }
        };
        sum.add(number, sem::Relaxed);
        if ORDER == DONE_TOO_EARLY {
            done();
        }
        if number > 1 {
            open.add(2, sem::Relaxed);
            for half in [number / 2, number - number / 2] {
                queue.send(put.fetch_add(1, sem::Relaxed) as usize, half, 1);
            }
        }
        if ORDER != DONE_TOO_EARLY {
            done();
        }
    }
    output.write(cta.grid_rank() as usize, sum.load(sem::Relaxed));
}

/// Passes numbers through a ring of places: half of the CTAs send `EACH` numbers, the other half receive as many. Computes
/// `output[n]` ← how often number n was received.
///
/// At the start, the flag of each place is its index, and the two tickets are 0.
#[ptx::kernel(unsafe(uniform), threads = 1, instances(<RIGHT>, <RELAXED_STORE>))]
pub fn ring<const ORDER: u32>(
    cta: Cta,
    places: Words,
    flags: Words,
    #[len(2)] tickets: Words,
    output: Words,
) {
    let ring = Messages::new(places, flags);
    let (Some(sent), Some(received)) = (tickets.get(0), tickets.get(1)) else { return };
    let (rank, len) = (cta.grid_rank(), flags.len() as u32);
    for i in 0..EACH {
        // The numbers of tickets are exclusive: each names one place, and one turn of it.
        if rank % 2 == 0 {
            let ticket = sent.fetch_add(1, sem::Relaxed);
            let place = (ticket % len) as usize;
            let Some(flag) = flags.get(place) else { return };
            while flag.load(sem::Acquire) != ticket {}
            let number = rank / 2 * EACH + i;
            if ORDER == RELAXED_STORE {
                if let Some(to) = places.get(place) {
                    to.store(number, sem::Relaxed);
                }
                flag.store(ticket + 1, sem::Relaxed);
            } else {
                ring.send(place, number, ticket + 1);
            }
        } else {
            let ticket = received.fetch_add(1, sem::Relaxed);
            let place = (ticket % len) as usize;
            let number = loop {
                if let Some(number) = ring.receive(place, ticket + 1) {
                    break number;
                }
            };
            if let Some(flag) = flags.get(place) {
                flag.store(ticket + len, sem::Release);
            }
            if let Some(count) = output.get(number as usize) {
                count.add(1, sem::Relaxed);
            }
        }
    }
}

/// The numbers that a CTA of [`ring`] sends or receives.
pub const EACH: u32 = 3;

/// Computes `output[0]` ← the sum of all words, each thread's words added up in a place of its own, by the last CTA. The count is 0
/// at the start and at the end.
#[ptx::kernel(unsafe(uniform), threads = 64, instances(<RIGHT>, <RELAXED_STORE>))]
pub fn sum_by_the_last<const ORDER: u32>(
    cta: Cta,
    input: Global<u32>,
    parts: Words,
    #[len(1)] count: Words,
    output: GlobalScatter<u32>,
) {
    let own = cta.grid_thread_rank();
    let (Some(part), Some(count)) = (parts.get(own as usize), count.get(0)) else { return };
    let mut sum = 0_u32;
    input.for_each::<1>(own, cta.grid_thread_count(), |word| sum = sum.wrapping_add(word));
    part.store(sum, sem::Relaxed);
    let is_last = if ORDER == RELAXED_STORE {
        let last = cta.grid_size() - 1;
        cta.sync();
        cta.sync_or(cta.is_leader() && count.fetch_inc(last, sem::Relaxed) == last)
    } else {
        count.is_last_cta(&cta)
    };
    if is_last {
        let part = |i: usize| parts.get(i).map_or(0, |part| part.load(sem::Relaxed));
        let sum = (0..parts.len()).map(part).fold(0, u32::wrapping_add);
        // All threads store the same sum.
        output.write(0, sum);
    }
}

/// Adds 1 to each of a pair and of four floats, as many times as there are threads, while others load and store them.
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn add_to_vectors(
    cta: Cta,
    #[len(1)] pair: GlobalAtomics<[f16; 2], scope::Gpu>,
    #[len(4)] floats: GlobalAtomics<f32, scope::Gpu>,
    output: GlobalScatter<f32>,
) {
    let (Some(pair), Some(floats)) = (pair.get(0), floats.vectors::<4>().and_then(|floats| floats.get(0)))
    else {
        return;
    };
    let own = cta.thread_rank() as usize;
    if cta.grid_rank() == 0 {
        pair.add([f16::ONE; 2], sem::Relaxed);
        floats.add([1.0; 4], sem::Relaxed);
    } else if own == 0 {
        pair.store(pair.load(sem::Acquire), sem::Release);
        floats.store([100.0; 4], sem::Relaxed);
    }
    let sums = floats.load(sem::Relaxed);
    output.write(4 * own, sums[0] + sums[1] + sums[2] + sums[3]);
}

/// Stores number i into `output[places[i]]`.
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn scatter(cta: Cta, places: Global<u32>, output: GlobalScatter<u8>) {
    let own = cta.grid_thread_rank() as usize;
    if let Some(place) = places.get(own) {
        output.write(place as usize, own as u8);
    }
}

pub const TILE: usize = 32;

ptx::shared_memory! {
    struct Tickets { memory: ReduceMemory<u64> }
}

/// Computes `output[i]` ← i + 1, in tiles by ticket and a last tile of one CTA.
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn tiles_by_ticket(
    cta: Cta,
    #[shared] smem: Tickets,
    output: GlobalMut<u32, TILE>,
    #[len(1)] tickets: GlobalTickets,
) {
    let (mut memory, first_of_tail) = (smem.memory, output.len() / TILE * TILE);
    let (mut tiles, tail) = output.tiles_by_ticket(&cta, tickets);
    while let Some((index, tile)) = tiles.next_tile(&cta, &mut memory) {
        tile.write(&cta, |i| (index * TILE + i + 1) as u32);
    }
    if let Some(tile) = tail.tile(&cta) {
        for (i, y) in tile.elements(&cta) {
            y.write((first_of_tail + i + 1) as u32);
        }
    }
}

/// Adds i + 1 to each element of row i, by tickets for two rows, each drawn a round ahead.
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn rows_by_ticket(
    cta: Cta,
    #[shared] smem: Tickets,
    matrix: GlobalRowsMut<u32>,
    #[len(1)] tickets: GlobalTickets,
) {
    let mut memory = smem.memory;
    let mut rows = matrix.rows_by_ticket::<2>(&cta, tickets);
    while let Some(two) = rows.next_rows(&cta, &mut memory) {
        rows.draw(&cta);
        let mut two = two.rows();
        unroll::<2>(|r| {
            if let Some((index, row)) = two[r].take() {
                row.elements(&cta).for_each(|(_, y)| y.write(y.read() + index as u32 + 1));
            }
        });
    }
}

ptx::shared_memory! {
    struct Sums { memory: ReduceMemory<f32> }
}

/// Divides each row by its sum, in place.
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn divide_rows(cta: Cta, #[shared] smem: Sums, rows: GlobalRowsMut<f32>) {
    let mut memory = smem.memory;
    for (_, row) in rows.rows(&cta) {
        let vectors = row.vectors(&cta);
        let own = vectors.clone().fold(0.0, |sum, (_, v)| v.read().iter().fold(sum, |sum, x| sum + x));
        let sum = memory.reduce_add(&cta, own);
        vectors.for_each(|(_, v)| v.write(v.read().map(|x| x / sum)));
    }
}
