//! Brokers of the test's own: on a free port, with their data in a temporary directory, stopped when the test ends.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A running broker.
pub struct Broker {
    command: PathBuf,
    args: Vec<String>,
    folder: PathBuf,
    port: u16,
    child: Option<Child>,
}

/// Brokers this process started: each has its own directory.
static STARTED: AtomicUsize = AtomicUsize::new(0);

impl Broker {
    /// A `nats-server` with JetStream, or `None` after saying that the test is skipped.
    pub fn nats() -> Option<Self> {
        Self::nats_with("")
    }

    /// As [`Broker::nats`], with more lines in its configuration.
    ///
    /// # Panics
    ///
    /// When the server is there but does not start.
    pub fn nats_with(settings: &str) -> Option<Self> {
        let command = find("nats-server", &["/usr/sbin", "/usr/local/bin"])?;
        let (folder, port) = (folder("nats"), free_port());
        let config = folder.join("nats.conf");
        let text = format!(
            "listen: 127.0.0.1:{port}\njetstream {{ store_dir: \"{}\" }}\n{settings}\n",
            folder.join("store").display()
        );
        std::fs::write(&config, text).expect("a configuration");
        let args = vec!["-c".to_owned(), config.display().to_string()];
        let mut broker = Self {
            command,
            args,
            folder,
            port,
            child: None,
        };
        broker.start();
        Some(broker)
    }

    /// A broker of the Kafka protocol that sends its clients to the port `advertised`, or `None` after saying that the test is
    /// skipped: `tansu` where `make needs` could build it, else the cluster that librdkafka brings along for tests.
    ///
    /// # Panics
    ///
    /// When the broker is there but does not start.
    pub fn kafka(advertised: u16) -> Option<Self> {
        match tansu() {
            Some(command) => Some(Self::tansu(command, Some(advertised), &[])),
            None => Self::librdkafka(),
        }
    }

    /// A broker of the Kafka protocol that takes nobody without a password, and knows nobody; or `None` after saying that the test is
    /// skipped.
    ///
    /// # Panics
    ///
    /// When the broker is there but does not start.
    pub fn guarded_kafka() -> Option<Self> {
        let Some(command) = tansu() else {
            crate::skip("no Kafka broker that asks for passwords");
            return None;
        };
        Some(Self::tansu(command, None, &["--authentication"]))
    }

    fn tansu(command: PathBuf, advertised: Option<u16>, more: &[&str]) -> Self {
        let (folder, port) = (folder("tansu"), free_port());
        let advertised = advertised.unwrap_or(port);
        let mut args = vec![
            "broker".to_owned(),
            "--storage-engine=memory://tansu/".to_owned(),
            format!("--listener-url=tcp://127.0.0.1:{port}"),
            format!("--advertised-listener-url=tcp://127.0.0.1:{advertised}"),
        ];
        args.extend(more.iter().map(|&arg| arg.to_owned()));
        let mut broker = Self {
            command,
            args,
            folder,
            port,
            child: None,
        };
        broker.start();
        broker
    }

    /// The cluster of librdkafka: it chooses its port, and keeps five megabytes of each partition.
    fn librdkafka() -> Option<Self> {
        let command = crate::python::python(&["confluent-kafka==2.16.1"])?;
        let args = vec!["-c".to_owned(), CLUSTER.to_owned()];
        let mut broker = Self {
            command,
            args,
            folder: folder("librdkafka"),
            port: 0,
            child: None,
        };
        broker.spawn();
        let log = broker.folder.join("log");
        for _ in 0..600 {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            let port = text.lines().find_map(|line| line.strip_prefix("port "));
            if let Some(port) = port.and_then(|port| port.parse().ok()) {
                broker.port = port;
                return Some(broker);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the cluster starts");
    }

    /// Whether it keeps whatever it is sent.
    pub fn keeps_everything(&self) -> bool {
        !self.folder.to_string_lossy().contains("librdkafka")
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts it again after [`Broker::stop`], on the same port, with what it had.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn start(&mut self) {
        self.spawn();
        for _ in 0..600 {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the broker listens");
    }

    fn spawn(&mut self) {
        let log = std::fs::File::create(self.folder.join("log")).expect("a log");
        let child = Command::new(&self.command)
            .args(&self.args)
            .current_dir(&self.folder)
            .env("RUST_LOG", "error")
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn()
            .expect("the broker starts");
        self.child = Some(child);
    }

    /// Lets it stand still for a while: connections stay, nobody answers.
    ///
    /// # Panics
    ///
    /// When it is not running.
    pub fn freeze(&self, time: Duration) {
        let id = self.child.as_ref().expect("it runs").id().to_string();
        for signal in ["-STOP", "-CONT"] {
            let sent = Command::new("kill").args([signal, &id]).status();
            assert!(sent.is_ok_and(|status| status.success()), "kill runs");
            if signal == "-STOP" {
                std::thread::sleep(time);
            }
        }
    }

    /// Ends it without warning.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // A broker that has ended by itself cannot be killed.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.stop();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Starts the cluster, says on which port, and waits to be ended.
const CLUSTER: &str = "\
import confluent_kafka, sys, time
producer = confluent_kafka.Producer({'bootstrap.servers': 'none', 'test.mock.num.brokers': 1})
print('port', next(iter(producer.list_topics(timeout=30).brokers.values())).port, flush=True)
time.sleep(3600)
";

fn look_for(name: &str, places: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let listed = std::env::split_paths(&path).chain(places.iter().map(PathBuf::from));
    let mut files = listed.map(|place| place.join(name));
    files.find(|file| file.is_file())
}

/// Where `make needs` puts its broker.
fn tansu() -> Option<PathBuf> {
    let home = std::env::var("HOME").unwrap_or_default();
    let cached = format!("{home}/.cache/denym/tansu/bin");
    look_for("tansu", &[&cached])
}

fn find(name: &str, places: &[&str]) -> Option<PathBuf> {
    let found = look_for(name, places);
    if found.is_none() {
        crate::skip(&format!("no {name}"));
    }
    found
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!(
        "denym-{name}-{}-{}",
        std::process::id(),
        STARTED.fetch_add(1, Ordering::Relaxed)
    ));
    std::fs::create_dir_all(&folder).expect("a temporary directory");
    folder
}

/// A port that nobody listens on at the moment.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("its number").port()
}
