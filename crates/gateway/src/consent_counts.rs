//! How often consent changed on a PostgreSQL server, by its own statistics, over one connection beside the pools.
//!
//! # Idea
//! The server counts inserted, updated and deleted rows of every table and publishes the counts when a transaction has ended, at the latest ten
//! seconds later. Whoever keeps the counts of then and compares them with those of now knows whether consent may have changed since. No right to the
//! tables themselves is needed, and a cursor's own connection, busy with its rows, is left alone.

use crate::remote::{Link, refusal};
use crate::request::Refusal;
use pgwire::api::Type;
use tokio::sync::Mutex;

const COUNTS: &str = "SELECT CASE WHEN pg_catalog.current_setting('track_counts') = 'on' THEN pg_catalog.concat(pg_catalog.string_agg(\
     pg_catalog.concat_ws(':', c.oid, c.relfilenode, pg_catalog.pg_stat_get_tuples_inserted(c.oid), \
     pg_catalog.pg_stat_get_tuples_updated(c.oid), pg_catalog.pg_stat_get_tuples_deleted(c.oid)), ',' ORDER BY c.relname)) END \
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname::pg_catalog.text = $1 AND c.relname::pg_catalog.text = ANY ($2)";

/// The connection, once there is one.
#[derive(Default)]
pub(crate) struct ConsentCounts {
    link: Mutex<Option<Link>>,
}

impl ConsentCounts {
    /// The counts of tables of a schema as one text; `None` when the server does not count.
    pub(crate) async fn ask(
        &self,
        connect: impl Future<Output = Result<Link, Refusal>>,
        schema: &str,
        tables: &[&str],
    ) -> Result<Option<String>, Refusal> {
        let mut kept = self.link.lock().await;
        // taken out: one that fails or is dropped in the middle is not used again
        let link = match kept.take().filter(|link| !link.client().is_closed()) {
            Some(link) => link,
            None => connect.await?,
        };
        let failed = |error| refusal(&error);
        let types = [Type::TEXT, Type::TEXT_ARRAY];
        let client = link.client();
        let statement = client.prepare_typed(COUNTS, &types).await.map_err(failed)?;
        let row = client
            .query_one(&statement, &[&schema, &tables])
            .await
            .map_err(failed)?;
        let counts = row.try_get(0).map_err(failed)?;
        *kept = Some(link);
        Ok(counts)
    }
}
