//! What the whole server shares: the directory, the secrets, the queue of jobs, what was read already.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use denym::{Environment, Error, Language, Look};

use crate::answer::Failure;
use crate::gate::Secrets;
use crate::jobs::Jobs;
use crate::journal::Journal;
use crate::projects::Project;
use crate::tasks::Task;

/// Files up to this size are read while a page waits: it is a moment.
const SMALL: u64 = 4 << 20;

/// How long a page waits for data that is read in the background.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Rows that a look shows.
pub(crate) const SHOWN_ROWS: usize = 8;

/// Looks that are kept: each has a chart per column.
const KEPT: usize = 32;

/// How the server runs.
#[derive(Debug, Clone)]
pub struct Config {
    /// The directory of the projects; nothing outside of it is read or written.
    pub dir: PathBuf,
    /// Where to listen: an address of this machine alone.
    pub listen: SocketAddr,
    /// Jobs that run at one time.
    pub jobs: usize,
    /// Threads of each job; all cores when `None`.
    pub threads: Option<usize>,
    /// Bytes of the largest file that may be sent.
    pub upload_limit: u64,
    /// Seconds since 1970, for the audit log: libraries read no clock.
    pub clock: fn() -> u64,
    /// Reads the environment, where a policy takes keys from it.
    pub environment: Option<Environment>,
}

/// What the whole server shares.
pub(crate) struct App {
    pub(crate) config: Config,
    /// The directory of the projects, without links.
    pub(crate) root: PathBuf,
    pub(crate) secrets: Secrets,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) journal: Journal,
    looks: Mutex<BTreeMap<String, (String, Arc<Look>)>>,
    port: AtomicU16,
    /// Held as long as the server runs: two of them would run each other's jobs.
    _alone: File,
}

impl App {
    /// Opens the directory, takes note of jobs that were interrupted, and removes what they left behind.
    pub(crate) fn open(config: Config) -> Result<App, Error> {
        let failed = |action: &'static str, path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| Error::Io {
                action,
                path,
                kind: error.kind(),
            }
        };
        let root = std::fs::canonicalize(&config.dir).map_err(failed("open", &config.dir))?;
        let own = root.join(".denym");
        private_directory(&own).map_err(failed("create", &own))?;
        let lock = own.join("lock");
        let alone = File::create(&lock).map_err(failed("create", &lock))?;
        if alone.try_lock().is_err() {
            return Err(Error::Argument {
                what: "another `denym serve` runs on this directory".into(),
                help: "stop it first, or serve another directory with --dir".into(),
            });
        }
        let log = own.join("audit.jsonl");
        let journal = Journal::open(&log, config.clock).map_err(failed("open", &log))?;
        let jobs = own.join("jobs");
        private_directory(&jobs).map_err(failed("create", &jobs))?;
        remove_leftovers(&own);
        for project in crate::projects::all(&root).unwrap_or_default() {
            project.remove_unfinished();
        }
        let jobs = Jobs::open(jobs, config.clock);
        Ok(App {
            port: AtomicU16::new(config.listen.port()),
            config,
            root,
            secrets: Secrets::new()?,
            jobs: Arc::new(jobs),
            journal,
            looks: Mutex::default(),
            _alone: alone,
        })
    }

    /// The port that it listens to.
    pub(crate) fn port(&self) -> u16 {
        self.port.load(Ordering::Relaxed)
    }

    /// Tells the port, once it is known.
    pub(crate) fn listens_to(&self, port: u16) {
        self.port.store(port, Ordering::Relaxed);
    }

    /// The server's own directory.
    pub(crate) fn own(&self) -> PathBuf {
        self.root.join(".denym")
    }

    /// The project of this name.
    pub(crate) fn project(&self, name: &str) -> Result<Project, Failure> {
        Project::find(&self.root, name)
    }

    /// What is in the data of a project: at once where it was read before or is small, else from a job whose number is given.
    pub(crate) fn look(&self, project: &Project, language: Language) -> Result<Seen, Failure> {
        let (path, options) = project.data(&self.root)?;
        let key = Self::key(&path, &options, language);
        if let Some(look) = self.kept(&project.name, &key) {
            return Ok(Seen::Look(look));
        }
        let size = std::fs::metadata(&path).map_or(u64::MAX, |meta| meta.len());
        if size <= SMALL {
            return self
                .look_now(project, language, &denym::Silent)
                .map(Seen::Look);
        }
        let task = Task::Profile;
        let running = self.jobs.active(&project.name, &task);
        let job = running.unwrap_or_else(|| self.jobs.add(&project.name, task, language));
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(50));
            if let Some(look) = self.kept(&project.name, &key) {
                return Ok(Seen::Look(look));
            }
            if self.jobs.get(&job).is_none_or(|job| job.state.is_over()) {
                break;
            }
        }
        Ok(Seen::Later(job))
    }

    /// Reads the data of a project and keeps what was seen.
    pub(crate) fn look_now(
        &self,
        project: &Project,
        language: Language,
        listener: &dyn denym::Listener,
    ) -> Result<Arc<Look>, Failure> {
        let (path, options) = project.data(&self.root)?;
        let key = Self::key(&path, &options, language);
        let threads = self.config.threads;
        let look = denym::guarded(|| {
            denym::look_at(&path, &options, SHOWN_ROWS, language, threads, listener)
        })?;
        let look = Arc::new(look);
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        if looks.len() >= KEPT {
            looks.pop_first();
        }
        looks.insert(project.name.clone(), (key, Arc::clone(&look)));
        Ok(look)
    }

    fn kept(&self, project: &str, key: &str) -> Option<Arc<Look>> {
        let looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let (own, look) = looks.get(project)?;
        (own == key).then(|| Arc::clone(look))
    }

    /// What a look depends on: the file as it is now, how it is read, in which language charts speak.
    fn key(path: &Path, options: &denym::ReadOptions, language: Language) -> String {
        let file = std::fs::metadata(path).ok();
        let changed = file.as_ref().and_then(|meta| meta.modified().ok());
        let size = file.map(|meta| meta.len());
        let path = path.display();
        format!("{path} {changed:?} {size:?} {options:?} {language:?}")
    }
}

/// What is in the data of a project.
pub(crate) enum Seen {
    /// Here it is.
    Look(Arc<Look>),
    /// A job with this number is reading it.
    Later(String),
}

/// Removes files that were sent or sampled when an earlier server was killed: they have people's data.
fn remove_leftovers(own: &Path) {
    let entries = std::fs::read_dir(own).into_iter().flatten();
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = ["upload-", "sample-", "dropped-", "draft-"];
        if ours.iter().any(|begin| name.starts_with(begin)) {
            // Whichever of the two it is.
            let _ = std::fs::remove_dir_all(entry.path());
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A directory for its owner alone.
pub(crate) fn private_directory(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a file for its owner alone, in one step: nobody sees half of it.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let parent = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".denym-")
        .tempfile_in(parent)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
