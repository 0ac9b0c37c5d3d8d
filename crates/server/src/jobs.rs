//! The queue of jobs: few run at one time, each can be stopped for real, and all are still known after a restart.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use denym::{Language, Listener, Phase};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::{App, write_whole};
use crate::tasks::{self, Done, Task};

/// Jobs that wait at one time; more are refused.
const MOST_WAITING: usize = 64;

/// Jobs that are still known when they are over.
const MOST_KEPT: usize = 200;

/// How a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// It waits for its turn.
    Waiting,
    /// It runs.
    Running,
    /// It did what it should.
    Done,
    /// A promise or a bound is not met; nothing was written.
    Refused,
    /// It could not be done.
    Failed,
    /// Somebody stopped it.
    Cancelled,
    /// The server ended while it ran or waited; nothing was written.
    Interrupted,
}

impl State {
    /// Whether nothing will happen any more.
    pub(crate) fn is_over(self) -> bool {
        !matches!(self, State::Waiting | State::Running)
    }
}

/// A job, as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Its number.
    pub(crate) id: String,
    /// The project it is about.
    pub(crate) project: String,
    /// What it does.
    pub(crate) task: Task,
    /// How it stands.
    pub(crate) state: State,
    /// `de` or `en`: the language of whoever asked for it.
    pub(crate) language: String,
    /// Seconds since 1970 when it was asked for.
    pub(crate) asked: u64,
    /// Seconds that each phase took.
    pub(crate) phases: Vec<(String, f64)>,
    /// Steps of this phase that are done, and all of them.
    pub(crate) progress: (u64, u64),
    /// The least loss so far.
    pub(crate) best: Option<f64>,
    /// The document of `--json`, or the error.
    pub(crate) result: Value,
    /// A drawing that belongs to it.
    pub(crate) drawing: Option<String>,
}

impl Job {
    /// For programs.
    pub(crate) fn document(&self) -> Value {
        json!({
            "id": self.id,
            "project": self.project,
            "task": self.task,
            "state": self.state,
            "asked": self.asked,
            "phase": self.phases.last().map(|(name, _)| name),
            "phases": self.phases.iter().cloned().map(|(name, took)| (name, json!(took))).collect::<serde_json::Map<_, _>>(),
            "progress": {"done": self.progress.0, "total": self.progress.1},
            "best": self.best,
            "result": self.result,
        })
    }

    /// The language of whoever asked for it.
    pub(crate) fn language(&self) -> Language {
        let known = Language::ALL
            .iter()
            .find(|(name, _)| *name == self.language);
        known.map(|(_, language)| *language).unwrap_or_default()
    }
}

/// A job that runs: told how it gets on, asked whether it goes on.
struct Running {
    cancelled: AtomicBool,
    live: Mutex<Live>,
}

struct Live {
    phases: Vec<(Phase, Instant)>,
    progress: (u64, u64),
    best: Option<f64>,
    searching: Option<Instant>,
}

impl Running {
    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts how it gets on into the job.
    fn tell(&self, job: &mut Job) {
        let live = self.live();
        let ends = live.phases.iter().skip(1).map(|(_, since)| *since);
        let mut phases: Vec<(String, f64)> = Vec::new();
        for ((phase, since), end) in live.phases.iter().zip(ends.chain([Instant::now()])) {
            let took = (end - *since).as_secs_f64();
            match phases.iter_mut().find(|(name, _)| name == phase.name()) {
                Some((_, all)) => *all += took,
                None => phases.push((phase.name().to_owned(), took)),
            }
        }
        (job.phases, job.progress, job.best) = (phases, live.progress, live.best);
    }
}

impl Listener for Running {
    fn phase(&self, phase: Phase) {
        let mut live = self.live();
        let now = Instant::now();
        live.phases.push((phase, now));
        live.progress = (0, 0);
        if phase == Phase::Searching && live.searching.is_none() {
            live.searching = Some(now);
        }
    }

    fn progress(&self, done: u64, total: u64) {
        self.live().progress = (done, total);
    }

    fn best(&self, best: f64, _: Option<f64>) {
        self.live().best = Some(best);
    }

    fn keep_going(&self) -> bool {
        !self.cancelled.load(Ordering::Relaxed)
    }

    // As long as the command searches, so that both find the same.
    fn in_time(&self) -> bool {
        let since = self.live().searching;
        since.is_none_or(|since| since.elapsed() < denym::USUAL_PATIENCE)
    }
}

/// The queue.
pub(crate) struct Jobs {
    directory: PathBuf,
    clock: fn() -> u64,
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    all: BTreeMap<u64, Job>,
    waiting: VecDeque<u64>,
    running: BTreeMap<u64, Arc<Running>>,
    closed: bool,
}

impl Jobs {
    /// Reads the jobs of an earlier server; what was not over is interrupted.
    pub(crate) fn open(directory: PathBuf, clock: fn() -> u64) -> Jobs {
        let jobs = Jobs {
            directory,
            clock,
            inner: Mutex::default(),
            changed: Condvar::new(),
        };
        let entries = std::fs::read_dir(&jobs.directory).into_iter().flatten();
        for entry in entries.filter_map(Result::ok) {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            // A file that is no job was not written by us, or not to its end.
            let Ok(mut job) = serde_json::from_str::<Job>(&text) else {
                continue;
            };
            let Ok(number) = job.id.parse() else { continue };
            if !job.state.is_over() {
                job.state = State::Interrupted;
                jobs.keep(&job);
            }
            jobs.inner().all.insert(number, job);
        }
        jobs
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, job: &Job) {
        let path = self.directory.join(format!("{}.json", job.id));
        let text = serde_json::to_string(job).unwrap_or_default();
        // Without it the job is forgotten at a restart, and nothing else.
        let _ = write_whole(&path, text.as_bytes());
    }

    /// Puts a job into the queue; its number.
    pub(crate) fn add(&self, project: &str, task: Task, language: Language) -> String {
        let mut inner = self.inner();
        let number = inner.all.last_key_value().map_or(1, |(last, _)| last + 1);
        let mut job = Job {
            id: number.to_string(),
            project: project.to_owned(),
            task,
            state: State::Waiting,
            language: language.name().to_owned(),
            asked: (self.clock)(),
            phases: Vec::new(),
            progress: (0, 0),
            best: None,
            result: Value::Null,
            drawing: None,
        };
        if inner.waiting.len() >= MOST_WAITING {
            job.state = State::Refused;
            job.result = json!({"error": {
                "code": "too-many-jobs", "message": "too many jobs wait already", "location": null,
                "help": "wait until some are done, or cancel them",
            }});
        } else {
            inner.waiting.push_back(number);
        }
        let id = job.id.clone();
        self.keep(&job);
        inner.all.insert(number, job);
        while inner.all.len() > MOST_KEPT {
            let old = inner.all.iter().find(|(_, job)| job.state.is_over());
            let Some(old) = old.map(|(number, _)| *number) else {
                break;
            };
            inner.all.remove(&old);
            let _ = std::fs::remove_file(self.directory.join(format!("{old}.json")));
        }
        self.changed.notify_all();
        id
    }

    /// The job of this number.
    pub(crate) fn get(&self, id: &str) -> Option<Job> {
        let number: u64 = id.parse().ok()?;
        let inner = self.inner();
        let mut job = inner.all.get(&number)?.clone();
        if let Some(running) = inner.running.get(&number) {
            running.tell(&mut job);
        }
        Some(job)
    }

    /// Every job, the newest first.
    pub(crate) fn all(&self) -> Vec<Job> {
        self.inner().all.values().rev().cloned().collect()
    }

    /// The newest job of a project that does such a thing.
    pub(crate) fn newest(&self, project: &str, of: impl Fn(&Task) -> bool) -> Option<Job> {
        let inner = self.inner();
        let mut newest_first = inner.all.values().rev();
        let found = newest_first.find(|job| job.project == project && of(&job.task));
        let id = found?.id.clone();
        drop(inner);
        self.get(&id)
    }

    /// The number of a job of a project that does this and is not over.
    pub(crate) fn active(&self, project: &str, task: &Task) -> Option<String> {
        let inner = self.inner();
        let own = |job: &&Job| job.project == project && !job.state.is_over() && job.task == *task;
        inner.all.values().find(own).map(|job| job.id.clone())
    }

    /// Stops a job: one that waits at once, one that runs at its next step.
    pub(crate) fn cancel(&self, id: &str) -> Option<Job> {
        let number: u64 = id.parse().ok()?;
        let mut inner = self.inner();
        inner.waiting.retain(|waiting| *waiting != number);
        if let Some(running) = inner.running.get(&number) {
            running.cancelled.store(true, Ordering::Relaxed);
        } else if let Some(job) = inner
            .all
            .get_mut(&number)
            .filter(|job| !job.state.is_over())
        {
            job.state = State::Cancelled;
            let job = job.clone();
            self.keep(&job);
        }
        drop(inner);
        self.get(id)
    }

    /// Stops every job and ends the threads that run them.
    pub(crate) fn close(&self) {
        let mut inner = self.inner();
        inner.closed = true;
        for running in inner.running.values() {
            running.cancelled.store(true, Ordering::Relaxed);
        }
        self.changed.notify_all();
    }

    /// Runs jobs, one after the other, until the queue is closed.
    pub(crate) fn work(&self, app: &App) {
        loop {
            let mut inner = self.inner();
            let number = loop {
                if inner.closed {
                    return;
                }
                if let Some(number) = inner.waiting.pop_front() {
                    break number;
                }
                inner = self
                    .changed
                    .wait(inner)
                    .unwrap_or_else(PoisonError::into_inner);
            };
            let running = Arc::new(Running {
                cancelled: AtomicBool::new(false),
                live: Mutex::new(Live {
                    phases: Vec::new(),
                    progress: (0, 0),
                    best: None,
                    searching: None,
                }),
            });
            let Some(job) = inner.all.get_mut(&number) else {
                continue;
            };
            job.state = State::Running;
            let job = job.clone();
            inner.running.insert(number, Arc::clone(&running));
            drop(inner);
            self.keep(&job);
            let done = tasks::run(app, &job, running.as_ref());
            self.finish(number, &running, done);
        }
    }

    fn finish(&self, number: u64, running: &Running, done: Done) {
        let mut inner = self.inner();
        let closed = inner.closed;
        inner.running.remove(&number);
        let Some(job) = inner.all.get_mut(&number) else {
            return;
        };
        running.tell(job);
        (job.state, job.result, job.drawing) = match done {
            Done::Well { document, drawing } => (State::Done, document, drawing),
            Done::Refused(document) => (State::Refused, document, None),
            Done::Badly(failure) if failure.part("code") == "stopped" => {
                let state = if closed {
                    State::Interrupted
                } else {
                    State::Cancelled
                };
                (state, failure.document, None)
            }
            Done::Badly(failure) => (State::Failed, failure.document, None),
        };
        let job = job.clone();
        self.keep(&job);
    }
}
