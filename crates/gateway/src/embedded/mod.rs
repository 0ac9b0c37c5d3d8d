//! The embedded backend: files under a governed catalogue, queried by DataFusion with every governed table masked; and the catalogue
//! tables that clients ask, for both backends.
//!
//! The catalogue is built once and shared; nothing a client may say changes it. What differs per statement is the user's name, the purpose
//! and the rewrite that follows from them, so each statement has a session state of its own.

mod conditional;
mod decide;
mod failure;
mod governed;
mod lateral;
mod rewrite;
mod source;

use crate::consent_file::ConsentFile;
use crate::error::Error;
use crate::request::{Refusal, Request};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::ParamValues;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::execution::SessionState;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility, create_udf,
};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::scalar::ScalarValue;
use datafusion::sql::parser::Statement as EngineStatement;
use datafusion_pg_catalog::pg_catalog::context::EmptyContextProvider;
use datafusion_pg_catalog::setup_pg_catalog;
use datafusion_pg_catalog::sql::PostgresCompatibilityParser;
use decide::Numbered;
use denym_purpose::{AccessPolicy, ConsentBook, MaskKey, Storage};
use futures::StreamExt as _;
use governed::Governed;
use rewrite::Rewrite;
use source::Source;
use sqlparser::ast::{Statement, VisitMut, VisitorMut};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// The name of the one database.
pub(crate) const CATALOG: &str = "denym";
/// What `version()` answers; drivers read the number.
const VERSION: &str = concat!(
    "PostgreSQL 16.6 (Denym gateway ",
    env!("CARGO_PKG_VERSION"),
    ")"
);

/// The governed catalogue with its raw files.
pub(crate) struct Engine {
    base: SessionState,
    policy: Arc<AccessPolicy>,
    sources: Arc<BTreeMap<String, Source>>,
    consent: ConsentFile,
    key: MaskKey,
    compatible: PostgresCompatibilityParser,
    numbered: Mutex<BTreeMap<String, (Arc<ConsentBook>, Arc<Numbered>)>>,
}

/// A statement against the governed schema, before any purpose.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    plan: LogicalPlan,
    /// Types of the parameters, in order.
    pub(crate) parameters: Vec<Option<DataType>>,
    /// What it returns.
    pub(crate) schema: SchemaRef,
}

impl Engine {
    /// The catalogue alone: a governed table in it can be described, not read.
    pub(crate) fn catalogue(policy: Arc<AccessPolicy>, memory: usize) -> Result<Self, Error> {
        let unusable = |what: &str| Error::Table {
            table: "catalogue".into(),
            what: what.into(),
        };
        // nothing of a query is written to disk: it may be raw
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_limit(memory, 1.0)
            .with_disk_manager_builder(
                DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled),
            )
            .build_arc()
            .map_err(|_| unusable("the query engine does not start"))?;
        let mut config = SessionConfig::new()
            .with_information_schema(true)
            .with_default_catalog_and_schema(CATALOG, "public");
        config.options_mut().execution.collect_statistics = false;
        let context = SessionContext::new_with_config_rt(config, runtime);
        for table in policy.tables.values() {
            context
                .register_table(
                    datafusion::common::TableReference::bare(table.name.as_str()),
                    Arc::new(Governed::new(table)),
                )
                .map_err(|_| unusable("a table cannot be named so"))?;
        }
        setup_pg_catalog(&context, CATALOG, EmptyContextProvider)
            .map_err(|_| unusable("the catalogue tables cannot be made"))?;
        context.register_udf(constant("version", VERSION));
        context.register_udf(to_regtype());
        // what governed tables do not have: constraints, sequences, comments
        for name in [
            "pg_get_constraintdef",
            "pg_get_serial_sequence",
            "obj_description",
            "col_description",
            "shobj_description",
        ] {
            context.register_udf(Fixed::new(name, ScalarValue::Utf8(None)).into());
        }
        for name in ["pg_type_is_visible", "pg_function_is_visible"] {
            context.register_udf(Fixed::new(name, ScalarValue::Boolean(Some(true))).into());
        }
        Ok(Self {
            base: context.state(),
            policy,
            sources: Arc::default(),
            consent: ConsentFile::none(),
            key: MaskKey::new(Vec::new()),
            compatible: PostgresCompatibilityParser::new(),
            numbered: Mutex::default(),
        })
    }

    /// The catalogue with its files, each checked against the policy.
    pub(crate) async fn open(
        policy: Arc<AccessPolicy>,
        folder: &Path,
        files: &BTreeMap<String, PathBuf>,
        consent: ConsentFile,
        key: MaskKey,
        memory: usize,
    ) -> Result<Self, Error> {
        let mut engine = Self::catalogue(policy.clone(), memory)?;
        for name in files.keys() {
            policy.table(name)?;
        }
        let mut sources = BTreeMap::new();
        for (name, table) in &policy.tables {
            let path = match (files.get(name), &table.source) {
                (Some(path), _) => path.clone(),
                (None, Some(path)) => folder.join(path),
                (None, None) => {
                    return Err(Error::Table {
                        table: name.clone(),
                        what: "no file is given for it".into(),
                    });
                }
            };
            let source = Source::open(&engine.base, table, &path).await?;
            engine.check_types(&source, table).await?;
            sources.insert(name.clone(), source);
        }
        engine.sources = Arc::new(sources);
        engine.consent = consent;
        engine.key = key;
        Ok(engine)
    }

    /// Counts cells that are not of their declared type; any is an error that names the column.
    async fn check_types(
        &self,
        source: &Source,
        table: &denym_purpose::TablePolicy,
    ) -> Result<(), Error> {
        use datafusion::functions_aggregate::expr_fn::sum;
        use datafusion::logical_expr::{lit, when};
        let wrong = |what: String| Error::Table {
            table: table.name.clone(),
            what,
        };
        let unreadable = |_| wrong("its file cannot be read".into());
        let typed: Vec<_> = table
            .columns
            .iter()
            .filter(|column| source::arrow_type(column.kind) != DataType::Utf8)
            .collect();
        let counts = typed
            .iter()
            .enumerate()
            .map(|(place, column)| {
                let bad = Source::column(&column.name)
                    .is_not_null()
                    .and(source.typed(&column.name, column.kind).is_null());
                let one = when(bad, lit(1i64)).otherwise(lit(0i64))?;
                Ok(sum(one).alias(format!("n{place}")))
            })
            .collect::<datafusion::error::Result<Vec<Expr>>>()
            .map_err(unreadable)?;
        if counts.is_empty() {
            return Ok(());
        }
        let plan = source
            .scan()
            .and_then(|plan| plan.aggregate(Vec::<Expr>::new(), counts)?.build())
            .map_err(unreadable)?;
        let context = SessionContext::new_with_state(self.base.clone());
        let batches = datafusion::dataframe::DataFrame::new(context.state(), plan)
            .collect()
            .await
            .map_err(unreadable)?;
        for (place, column) in typed.iter().enumerate() {
            for batch in &batches {
                let found =
                    ScalarValue::try_from_array(batch.column(place), 0).map_err(unreadable)?;
                if let ScalarValue::Int64(Some(count)) = found
                    && count > 0
                {
                    return Err(wrong(format!(
                        "column `{}` has {count} cells that are not of its type",
                        column.name
                    )));
                }
            }
        }
        Ok(())
    }

    fn state(&self, user: &str) -> SessionStateBuilder {
        let mut state = self.base.clone();
        state.mark_start_execution();
        let mut builder = SessionStateBuilder::new_from_existing(state);
        if let Some(functions) = builder.scalar_functions() {
            for name in ["session_user", "current_user"] {
                functions.retain(|function| function.name() != name);
                functions.push(Arc::new(constant(name, user)));
            }
        }
        builder
    }

    /// Reads a statement against the governed schema. `sql` is its text; catalogue queries of clients are adapted to the engine.
    pub(crate) async fn plan(
        &self,
        user: &str,
        statement: &Statement,
        sql: &str,
        governed: bool,
    ) -> Result<Planned, Refusal> {
        let statement = if governed {
            lateral::unbounded(statement)?;
            statement.clone()
        } else {
            self.adapt(statement, sql)?
        };
        let state = self.state(user).build();
        let statement = EngineStatement::Statement(Box::new(statement));
        let plan = aside(state.statement_to_plan(statement))
            .await
            .map_err(|error| failure::planning(&error))?;
        if !matches!(
            &plan,
            LogicalPlan::Dml(_)
                | LogicalPlan::Ddl(_)
                | LogicalPlan::Copy(_)
                | LogicalPlan::Explain(_)
                | LogicalPlan::Analyze(_)
                | LogicalPlan::Statement(_)
        ) {
            return Ok(Planned {
                parameters: parameters(&plan),
                schema: Arc::new(plan.schema().as_arrow().clone()),
                plan,
            });
        }
        // the allow-list comes first; this is the second lock
        Err(Error::NotAllowed {
            what: "anything but a query".into(),
        }
        .into())
    }

    /// A client's question about the catalogue, in words the engine understands.
    fn adapt(&self, statement: &Statement, sql: &str) -> Result<Statement, Refusal> {
        let Ok(mut adapted) = self.compatible.parse(sql) else {
            return Ok(statement.clone());
        };
        match (adapted.pop(), adapted.is_empty()) {
            (Some(mut adapted @ Statement::Query(_)), true)
                if crate::Pushdown::tables(&self.policy, &adapted).is_empty() =>
            {
                let _ = VisitMut::visit(&mut adapted, &mut WithoutDefaults);
                Ok(adapted)
            }
            _ => Err(Error::Syntax.into()),
        }
    }

    /// Runs a statement. Without a request only the catalogue can be read.
    pub(crate) async fn run(
        &self,
        user: &str,
        planned: &Planned,
        values: ParamValues,
        request: Option<Request>,
    ) -> Result<Batches, Refusal> {
        let mut builder = self.state(user);
        if let Some(request) = request {
            let rule = Arc::new(self.rewrite(request)?);
            if let Some(analyzer) = builder.analyzer() {
                analyzer.rules.insert(0, rule);
            } else {
                return Err(Refusal::new("58000", "query-failed", "the query failed"));
            }
        }
        let state = builder.build();
        let failed = |error: datafusion::error::DataFusionError| failure::running(&error);
        let plan = if planned.parameters.is_empty() {
            planned.plan.clone()
        } else {
            planned
                .plan
                .clone()
                .replace_params_with_values(&values)
                .map_err(failed)?
        };
        let physical = aside(state.create_physical_plan(&plan))
            .await
            .map_err(failed)?;
        let stream = execute_stream(physical, state.task_ctx()).map_err(failed)?;
        Ok(Batches::start(stream))
    }

    fn rewrite(&self, request: Request) -> Result<Rewrite, Refusal> {
        let book = self.consent.current(&self.policy)?;
        let mut consents = BTreeMap::new();
        for table in self.policy.tables.values() {
            if table.storage == Storage::Table {
                consents.insert(table.name.clone(), self.numbered(&book, &table.name));
            }
        }
        Ok(Rewrite {
            request,
            sources: self.sources.clone(),
            consents,
            key: self.key.clone(),
        })
    }

    /// The numbered consents of a table, kept until the file changes.
    fn numbered(&self, book: &Arc<ConsentBook>, table: &str) -> Arc<Numbered> {
        let mut cache = self.numbered.lock().unwrap_or_else(PoisonError::into_inner);
        match cache.get(table) {
            Some((of, numbered)) if Arc::ptr_eq(of, book) => numbered.clone(),
            _ => {
                let numbered = Arc::new(Numbered::new(book, table));
                cache.insert(table.to_owned(), (book.clone(), numbered.clone()));
                numbered
            }
        }
    }
}

/// Planning computes and does not wait: other sessions go on meanwhile on another thread.
async fn aside<T>(work: impl Future<Output = T>) -> T {
    let handle = tokio::runtime::Handle::current();
    if handle.runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread {
        tokio::task::block_in_place(|| handle.block_on(work))
    } else {
        work.await
    }
}

/// Takes subqueries for defaults, sequences and collations out of catalogue queries: governed tables have none, and the engine does not
/// plan such correlated subqueries.
struct WithoutDefaults;

impl VisitorMut for WithoutDefaults {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut sqlparser::ast::Expr) -> ControlFlow<()> {
        if let sqlparser::ast::Expr::Subquery(query) = expr {
            let text = query.to_string();
            if ["pg_attrdef", "pg_sequence", "pg_collation", "typcollation"]
                .iter()
                .any(|name| text.contains(name))
            {
                *expr = sqlparser::ast::Expr::Value(sqlparser::ast::Value::Null.into());
            }
        }
        ControlFlow::Continue(())
    }
}

/// A function without arguments that answers with a constant.
fn constant(name: &str, value: &str) -> ScalarUDF {
    let value = value.to_owned();
    create_udf(
        name,
        vec![],
        DataType::Utf8,
        Volatility::Stable,
        Arc::new(move |_: &[ColumnarValue]| {
            Ok(ColumnarValue::Scalar(ScalarValue::Utf8(Some(
                value.clone(),
            ))))
        }),
    )
}

/// A function that answers the same whatever it is asked.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Fixed {
    name: &'static str,
    value: ScalarValue,
    signature: Signature,
}

impl Fixed {
    fn new(name: &'static str, value: ScalarValue) -> Self {
        Self {
            name,
            value,
            signature: Signature::variadic_any(Volatility::Stable),
        }
    }
}

impl ScalarUDFImpl for Fixed {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> datafusion::error::Result<DataType> {
        Ok(self.value.data_type())
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> datafusion::error::Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(self.value.clone()))
    }
}

/// `to_regtype(name)`: the number of a plain type, NULL for what is not there; drivers ask it for extensions.
fn to_regtype() -> ScalarUDF {
    use datafusion::arrow::array::{AsArray as _, Int32Array};
    use pgwire::api::Type;
    let known = [
        Type::BOOL,
        Type::INT2,
        Type::INT4,
        Type::INT8,
        Type::FLOAT4,
        Type::FLOAT8,
        Type::NUMERIC,
        Type::TEXT,
        Type::VARCHAR,
        Type::DATE,
        Type::TIME,
        Type::TIMESTAMP,
        Type::TIMESTAMPTZ,
    ];
    create_udf(
        "to_regtype",
        vec![DataType::Utf8],
        DataType::Int32,
        Volatility::Stable,
        Arc::new(move |args: &[ColumnarValue]| {
            let arrays = ColumnarValue::values_to_arrays(args)?;
            let found: Int32Array = arrays[0]
                .as_string::<i32>()
                .iter()
                .map(|name| {
                    let kind = known.iter().find(|kind| Some(kind.name()) == name)?;
                    i32::try_from(kind.oid()).ok()
                })
                .collect();
            Ok(ColumnarValue::Array(Arc::new(found)))
        }),
    )
}

/// The types of `$1`, `$2`, .. as far as the plan tells them.
fn parameters(plan: &LogicalPlan) -> Vec<Option<DataType>> {
    let mut found: BTreeMap<usize, Option<DataType>> = BTreeMap::new();
    let mut note = |id: &str, kind: Option<&DataType>| {
        if let Ok(place) = id.trim_start_matches('$').parse::<usize>()
            && (1..=65_535).contains(&place)
        {
            let entry = found.entry(place).or_default();
            if entry.is_none() {
                *entry = kind.cloned();
            }
        }
    };
    let walked = plan.apply_with_subqueries(|node| {
        for expr in node.expressions() {
            let _ = expr.apply(|expr| {
                match expr {
                    Expr::Placeholder(place) => {
                        note(
                            &place.id,
                            place.field.as_ref().map(|field| field.data_type()),
                        );
                    }
                    Expr::Cast(cast) => {
                        if let Expr::Placeholder(place) = cast.expr.as_ref() {
                            note(&place.id, Some(cast.field.data_type()));
                        }
                    }
                    _ => {}
                }
                Ok(TreeNodeRecursion::Continue)
            });
        }
        // a limit keeps its expressions apart
        Ok(TreeNodeRecursion::Continue)
    });
    if walked.is_err() {
        return Vec::new();
    }
    let count = found.keys().last().copied().unwrap_or(0);
    (1..=count)
        .map(|place| found.get(&place).cloned().flatten())
        .collect()
}

/// Batches of a running query; dropping it stops the query.
pub(crate) struct Batches {
    receiver: mpsc::Receiver<Result<Option<RecordBatch>, Refusal>>,
    task: tokio::task::AbortHandle,
}

impl Batches {
    fn start(mut stream: datafusion::execution::SendableRecordBatchStream) -> Self {
        // two batches ahead of the client, no more: a client that does not read stops the query
        let (sender, receiver) = mpsc::channel(2);
        let task = tokio::spawn(async move {
            loop {
                let batch = stream
                    .next()
                    .await
                    .transpose()
                    .map_err(|error| failure::running(&error));
                let more = matches!(batch, Ok(Some(_)));
                if sender.send(batch).await.is_err() || !more {
                    break;
                }
            }
        });
        Self {
            receiver,
            task: task.abort_handle(),
        }
    }

    /// The next batch; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<RecordBatch>, Refusal> {
        // a channel that closes without saying so is a query that broke off, not its end
        self.receiver
            .recv()
            .await
            .unwrap_or_else(|| Err(failure::failed()))
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.task.abort();
    }
}
