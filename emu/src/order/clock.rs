//! Vector clocks: what has happened before a point of the execution, and what of it is visible through each proxy.

use std::cell::RefCell;
use std::rc::Rc;

/// A thread, or an object through which asynchronous operations complete: an mbarrier, or a thread's groups of copies.
pub type Id = u32;
pub type Time = u32;

/// The number of identities in a part: the threads of a CTA, or as many objects.
pub const PART: u32 = 2048;
/// The first identity of an object.
pub const OBJECTS: Id = 1 << 31;
/// The first of a part of identities: those of earlier grids. Their accesses all have time 1, which a view holds if the grid has
/// ended.
const GRIDS: Id = OBJECTS;

/// Returns the identity of a grid by its number in the order of launches. Numbers that far apart do not run at a time.
pub fn of_grid(number: u32) -> Id {
    GRIDS + number % PART
}

/// Returns whether an identity is that of an earlier grid.
pub fn is_of_grid(id: Id) -> bool {
    (GRIDS..GRIDS + PART).contains(&id)
}
/// The bit that makes an mbarrier's identity that of its completed phases, without what its copies did.
pub const PHASES: Id = 1 << 30;
/// The bit that makes an mbarrier's identity that of its initialization.
pub const INITS: Id = 1 << 29;

/// The bits that make an mbarrier's identity that of its `st.async` and `red.async`, which are of the generic proxy.
pub const ELEMENTS: Id = PHASES | INITS;

/// A proxy (PTX ISA 8.6). A fence may name one space of the async proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proxy {
    Generic = 0,
    AsyncShared = 1,
    AsyncGlobal = 2,
    TensorMap = 3,
    /// What a release fence of tensor maps has handed to later acquire fences.
    TensorMapReleased = 4,
    /// The address of a multicast object, which is a second address of the same location.
    Alias = 5,
    /// What an asynchronous write may overwrite: what the generic proxy has read before a synchronization or a fence, and what
    /// asynchronous operations have accessed that are complete.
    Overwrite = 6,
}

/// The number of proxies.
pub const PROXIES: usize = 7;

/// The clocks of what fences hand to the async proxy for shared memory.
const OF_ASYNC: [usize; 2] = [Proxy::AsyncShared as usize, Proxy::Overwrite as usize];

/// Returns the times by proxy, of which the generic proxy alone sees `time`.
pub fn generic(time: Time) -> [Time; PROXIES] {
    let mut times = [0; PROXIES];
    times[Proxy::Generic as usize] = time;
    times
}

/// The latest time of each identity that happened before. Parts are shared between clocks.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    parts: Vec<(u32, Rc<Vec<Time>>)>,
}

impl Clock {
    #[inline]
    pub fn get(&self, id: Id) -> Time {
        let (part, at) = (id / PART, (id % PART) as usize);
        match self.parts.iter().find(|(number, _)| *number == part) {
            Some((_, times)) => times.get(at).copied().unwrap_or(0),
            None => 0,
        }
    }

    /// Returns whether anything is known of the threads of a CTA.
    pub fn knows_cta(&self, number: u32) -> bool {
        self.parts.binary_search_by_key(&number, |(part, _)| *part).is_ok()
    }

    pub fn set(&mut self, id: Id, time: Time) {
        let (part, at) = (id / PART, (id % PART) as usize);
        let times = match self.parts.binary_search_by_key(&part, |(number, _)| *number) {
            Ok(i) => &mut self.parts[i].1,
            Err(i) => {
                self.parts.insert(i, (part, Rc::default()));
                &mut self.parts[i].1
            }
        };
        if times.get(at).copied().unwrap_or(0) < time {
            let times = Rc::make_mut(times);
            if times.len() <= at {
                times.resize(at + 1, 0);
            }
            times[at] = time;
        }
    }

    /// Returns a clock with the times of one kind of identity alone.
    pub fn only(&self, kind: Id) -> Self {
        let is_of_kind = |part: u32| (part * PART) >> 29 == (OBJECTS | kind) >> 29;
        Self { parts: self.parts.iter().filter(|(part, _)| is_of_kind(*part)).cloned().collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns whether no time of the other clock is later.
    fn includes(&self, other: &Self) -> bool {
        let times = |part: u32| self.parts.iter().find(|(number, _)| *number == part).map(|(_, times)| times);
        other.parts.iter().all(|(part, theirs)| {
            times(*part).is_some_and(|ours| {
                Rc::ptr_eq(ours, theirs)
                    || theirs.len() <= ours.len() && theirs.iter().zip(ours.iter()).all(|(a, b)| a <= b)
            })
        })
    }

    /// Returns the times of objects alone: the completions that are known.
    pub fn of_objects(&self) -> Self {
        let is_of_objects = |part: u32| part > GRIDS / PART;
        Self { parts: self.parts.iter().filter(|(part, _)| is_of_objects(*part)).cloned().collect() }
    }

    pub fn join(&mut self, other: &Self) {
        for (part, theirs) in &other.parts {
            match self.parts.binary_search_by_key(part, |(number, _)| *number) {
                Err(i) => self.parts.insert(i, (*part, theirs.clone())),
                Ok(i) => {
                    let ours = &mut self.parts[i].1;
                    if Rc::ptr_eq(ours, theirs) {
                        continue;
                    }
                    if ours.len() < theirs.len() {
                        Rc::make_mut(ours).resize(theirs.len(), 0);
                    }
                    if ours.iter().zip(theirs.iter()).any(|(ours, theirs)| ours < theirs) {
                        for (ours, theirs) in Rc::make_mut(ours).iter_mut().zip(theirs.iter()) {
                            *ours = (*ours).max(*theirs);
                        }
                    }
                }
            }
        }
    }
}

/// The clock of each proxy.
#[derive(Debug, Clone, Default)]
pub struct View {
    pub clocks: [Rc<Clock>; PROXIES],
}

impl View {
    #[inline]
    pub fn clock(&self, proxy: Proxy) -> &Clock {
        &self.clocks[proxy as usize]
    }

    /// Returns whether nothing is known to the generic proxy.
    pub fn is_empty(&self) -> bool {
        self.clock(Proxy::Generic).is_empty()
    }

    pub fn join(&mut self, other: &Self) {
        for (ours, theirs) in self.clocks.iter_mut().zip(&other.clocks) {
            if !Rc::ptr_eq(ours, theirs) {
                Rc::make_mut(ours).join(theirs);
            }
        }
    }

    /// Returns the clocks of the async proxy for shared memory, without those of the other proxies.
    pub fn to_async(&self) -> Self {
        let mut only = Self::default();
        for proxy in OF_ASYNC {
            only.clocks[proxy] = self.clocks[proxy].clone();
        }
        only
    }

    /// Adds what is visible through one proxy to what is visible through another, which a restricted acquire may have extended.
    pub fn pass(&mut self, from: Proxy, to: Proxy) {
        let mut both = self.clocks[from as usize].clone();
        let to = &mut self.clocks[to as usize];
        if !Rc::ptr_eq(&both, to) && !both.includes(to) {
            Rc::make_mut(&mut both).join(to);
        }
        *to = both;
    }

    /// Lets asynchronous writes overwrite what was read before.
    fn overwrite_reads(&mut self) {
        let [generic, .., overwrite] = &mut self.clocks;
        if !Rc::ptr_eq(generic, overwrite) {
            Rc::make_mut(overwrite).join(generic);
        }
    }

    /// Returns the generic proxy's times of one kind of identity, [`PHASES`] or [`INITS`].
    pub fn only(&self, kind: Id) -> Self {
        let mut only = Self::default();
        only.clocks[Proxy::Generic as usize] = Rc::new(self.clock(Proxy::Generic).only(kind));
        only
    }

    pub fn set(&mut self, id: Id, times: [Time; PROXIES]) {
        for (clock, time) in self.clocks.iter_mut().zip(times) {
            if time > 0 {
                Rc::make_mut(clock).set(id, time);
            }
        }
    }
}

/// What a thread or an operation hands over by a release.
#[derive(Debug, Clone)]
pub struct Release {
    pub view: Rc<View>,
    pub id: Id,
    /// The time of the identity itself, by proxy.
    pub times: [Time; PROXIES],
}

impl Release {
    /// Adds what the same thread has released otherwise.
    pub fn join(&mut self, other: &Self) {
        Rc::make_mut(&mut self.view).join(&other.view);
        for (ours, theirs) in self.times.iter_mut().zip(other.times) {
            *ours = (*ours).max(theirs);
        }
    }

    /// Returns what the thread hands to the async proxy for shared memory, alone.
    pub fn to_async(&self) -> Self {
        let mut times = [0; PROXIES];
        OF_ASYNC.iter().for_each(|proxy| times[*proxy] = self.times[*proxy]);
        Self { view: Rc::new(self.view.to_async()), id: self.id, times }
    }

    /// Adds what asynchronous writes may overwrite.
    pub fn add_overwrite(&self, to: &mut Clock) {
        to.join(self.view.clock(Proxy::Overwrite));
        if self.times[Proxy::Overwrite as usize] > 0 {
            to.set(self.id, self.times[Proxy::Overwrite as usize]);
        }
    }
}

/// A collection of releases, for example those of an mbarrier's phase.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    pub view: View,
    /// Views that are part of `view`: the latest of each identity, as far as they are kept.
    joined: Vec<(Id, Rc<View>)>,
}

impl Collected {
    /// The number of views that are kept: those of the threads of a block.
    const KEPT: usize = 1024;

    pub fn add(&mut self, release: &Release) {
        if !self.joined.iter().any(|(_, view)| Rc::ptr_eq(view, &release.view)) {
            self.view.join(&release.view);
            let new = (release.id, release.view.clone());
            // A later view of a thread has what its earlier ones have. A release sequence may have no end, so the list must.
            match self.joined.iter().position(|(id, _)| *id == release.id) {
                Some(earlier) => self.joined[earlier] = new,
                None if self.joined.len() < Self::KEPT => self.joined.push(new),
                None => {}
            }
        }
        self.view.set(release.id, release.times);
    }

    /// Joins the view of another collection.
    pub fn join(&mut self, view: &View) {
        self.view.join(view);
    }

    /// Adds a time of an identity, for the generic proxy.
    pub fn know_generic(&mut self, id: Id, time: Time) {
        self.view.set(id, generic(time));
    }

    /// Adds a time of an identity, for every proxy.
    pub fn know(&mut self, id: Id, time: Time) {
        self.view.set(id, [time; PROXIES]);
    }

    /// Returns the latest time of an identity.
    pub fn time(&self, id: Id) -> Time {
        self.view.clock(Proxy::Generic).get(id)
    }

    /// `overwrite`: whether asynchronous writes after the acquire may overwrite what was read before the release.
    pub fn finish(mut self, overwrite: bool) -> Rc<Acquirable> {
        if overwrite {
            self.view.overwrite_reads();
        }
        Rc::new(Acquirable { view: Rc::new(self.view), joined: self.joined, last: RefCell::default() })
    }
}

/// What an acquire takes over. Not `Clone`: the threads that acquire it share its memo.
#[derive(Debug)]
pub struct Acquirable {
    view: Rc<View>,
    joined: Vec<(Id, Rc<View>)>,
    last: RefCell<Memo<()>>,
}

impl Acquirable {
    /// Joins a view with what was released.
    pub fn acquire(&self, into: &mut Rc<View>) {
        if Rc::ptr_eq(into, &self.view) {
        } else if self.joined.iter().any(|(_, view)| Rc::ptr_eq(view, into)) {
            *into = self.view.clone();
        } else {
            *into = self.last.borrow_mut().change(into, (), |view| view.join(&self.view));
        }
    }

    pub fn view(&self) -> &Rc<View> {
        &self.view
    }
}

/// The last changes of views: the threads of a block often have the same view, and share the changed one.
#[derive(Debug)]
pub struct Memo<K>(Vec<(Rc<View>, K, Rc<View>)>);

impl<K> Default for Memo<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Copy + PartialEq> Memo<K> {
    const LEN: usize = 8;

    /// Returns what `change` makes of a view.
    pub fn change(&mut self, view: &Rc<View>, key: K, change: impl FnOnce(&mut View)) -> Rc<View> {
        if let Some((_, _, to)) = self.0.iter().find(|(from, of, _)| *of == key && Rc::ptr_eq(from, view)) {
            return to.clone();
        }
        let mut to = (**view).clone();
        change(&mut to);
        let to = Rc::new(to);
        if self.0.len() == Self::LEN {
            self.0.remove(0);
        }
        self.0.push((view.clone(), key, to.clone()));
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_keeps_the_last_view_of_each_thread() {
        let mut collected = Collected::default();
        for time in 1..=100 {
            for id in 0..4 {
                let mut view = View::default();
                view.set(PART + id, generic(time));
                collected.add(&Release { view: Rc::new(view), id, times: generic(time) });
            }
        }
        assert_eq!(collected.joined.len(), 4);
        assert!((0..4).all(|id| collected.time(id) == 100 && collected.time(PART + id) == 100));
    }
}
