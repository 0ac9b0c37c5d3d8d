//! A broker of the Kafka protocol behind a wire that the test can cut, and a client that feeds and reads it.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use denym_testkit::brokers::Broker;
use rskafka::client::partition::{Compression, OffsetAt, PartitionClient, UnknownTopicHandling};
use rskafka::client::{Client, ClientBuilder};
use rskafka::record::Record;

/// A running broker.
pub(crate) struct Kafka {
    wire: Wire,
    runtime: tokio::runtime::Runtime,
    broker: Broker,
}

impl Kafka {
    /// A broker, or `None` after saying that the test is skipped.
    pub(crate) fn start() -> Option<Self> {
        let wire = Wire::lay();
        let broker = Broker::kafka(wire.port)?;
        wire.connect(broker.port());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let kafka = Self {
            wire,
            runtime,
            broker,
        };
        // It listens before it answers.
        kafka
            .runtime
            .block_on(async { kafka.client().await.list_topics().await.expect("topics") });
        Some(kafka)
    }

    pub(crate) fn port(&self) -> u16 {
        self.wire.port
    }

    /// The broker's own port, behind the wire.
    pub(crate) fn broker_port(&self) -> u16 {
        self.broker.port()
    }

    /// Leads the wire to another port.
    pub(crate) fn reroute(&self, port: u16) {
        self.wire.connect(port);
    }

    /// Whether it keeps whatever it is sent.
    pub(crate) fn keeps_everything(&self) -> bool {
        self.broker.keeps_everything()
    }

    /// Starts it anew, with nothing in it; `false` where it cannot be on the same port again.
    pub(crate) fn forget(&mut self) -> bool {
        let same_port = self.keeps_everything();
        if same_port {
            self.broker.stop();
            self.broker.start();
        }
        same_port
    }

    async fn client(&self) -> Client {
        let server = format!("127.0.0.1:{}", self.wire.port);
        ClientBuilder::new(vec![server])
            .build()
            .await
            .expect("a client")
    }

    async fn partition(&self, topic: &str) -> PartitionClient {
        let client = self.client().await;
        let found = client.partition_client(topic, 0, UnknownTopicHandling::Retry);
        found.await.expect("a partition")
    }

    /// Makes a topic of one partition.
    pub(crate) fn make(&self, topic: &str) {
        self.runtime.block_on(async {
            let client = self.client().await;
            let controller = client.controller_client().expect("a controller");
            // A broker that makes topics by itself may not let clients make them.
            let made = controller.create_topic(topic, 1, 1, 5_000);
            let _ = tokio::time::timeout(Duration::from_secs(2), made).await;
            self.partition(topic).await;
        });
    }

    /// Sends messages in order.
    pub(crate) fn send(&self, topic: &str, messages: &[String]) {
        self.runtime.block_on(async {
            let partition = self.partition(topic).await;
            for some in messages.chunks(20_000) {
                let records = some.iter().map(|message| Record {
                    key: None,
                    value: Some(message.clone().into_bytes()),
                    headers: std::collections::BTreeMap::new(),
                    timestamp: rskafka::chrono::DateTime::default(),
                });
                let sent = partition.produce(records.collect(), Compression::NoCompression);
                sent.await.expect("sent");
            }
        });
    }

    /// All messages of a topic: the number in the header, and the payload.
    pub(crate) fn read(&self, topic: &str) -> Vec<(String, Vec<u8>)> {
        self.runtime.block_on(async {
            let partition = self.partition(topic).await;
            let end = partition
                .get_offset(OffsetAt::Latest)
                .await
                .expect("an offset");
            let mut found = Vec::new();
            let mut next = 0;
            while next < end {
                let fetched = partition.fetch_records(next, 1..(8 << 20), 500).await;
                for record in fetched.expect("records").0 {
                    if record.offset < next {
                        continue;
                    }
                    next = record.offset + 1;
                    let header = record.record.headers.get("Denym-Window").expect("a number");
                    let header = String::from_utf8(header.clone()).expect("text");
                    found.push((header, record.record.value.unwrap_or_default()));
                }
            }
            found
        })
    }

    /// Cuts the wire in the middle of whatever goes over it, and lays it again after a while; then nobody answers for a while.
    pub(crate) fn disturb(&self) {
        self.wire.cut();
        std::thread::sleep(Duration::from_millis(700));
        self.wire.mend();
        self.broker.freeze(Duration::from_millis(700));
    }
}

/// Passes bytes on between a port of its own and the broker's.
struct Wire {
    port: u16,
    target: Arc<Mutex<Option<u16>>>,
    whole: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    fn lay() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let wire = Self {
            port: listener.local_addr().expect("its number").port(),
            target: Arc::default(),
            whole: Arc::new(AtomicBool::new(true)),
            open: Arc::default(),
        };
        let (target, whole) = (Arc::clone(&wire.target), Arc::clone(&wire.whole));
        let open = Arc::clone(&wire.open);
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let port = *target.lock().expect("a lock");
                let far =
                    port.and_then(|port| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok());
                let Some(far) = far.filter(|_| whole.load(Ordering::SeqCst)) else {
                    continue;
                };
                let twice = |stream: &TcpStream| stream.try_clone().expect("a socket");
                let mut open = open.lock().expect("a lock");
                open.extend([twice(&near), twice(&far)]);
                for (mut from, mut to) in [(twice(&near), twice(&far)), (far, near)] {
                    std::thread::spawn(move || {
                        // Either side may end at any time.
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        wire
    }

    fn connect(&self, port: u16) {
        *self.target.lock().expect("a lock") = Some(port);
    }

    fn cut(&self) {
        self.whole.store(false, Ordering::SeqCst);
        for stream in self.open.lock().expect("a lock").drain(..) {
            // One that has ended already cannot be cut.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.whole.store(true, Ordering::SeqCst);
    }
}
