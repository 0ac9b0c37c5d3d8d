//! The embedded backend: files under a governed catalogue, queried by DataFusion with every governed table masked; and the catalogue
//! tables that clients ask, for both backends.
//!
//! The catalogue is built once and shared; nothing a client may say changes it. What differs per statement is the user's name, the purpose
//! and the rewrite that follows from them, so each statement has a session state of its own.

mod bounded;
mod catalogue;
mod conditional;
mod consents;
mod contain;
mod csv;
mod decide;
mod failure;
mod functions;
mod governed;
mod lateral;
mod mark;
mod masked;
mod measure;
mod names;
mod parameters;
mod patterns;
mod pool;
mod rewrite;
mod source;
mod stop;
mod tables;
mod threads;
mod weight;

use crate::config::Limits;
use crate::consent_file::ConsentFile;
use crate::error::Error;
use crate::request::{Refusal, Request};
use catalogue::{WithoutDefaults, constant};
use consents::Consents;
use contain::Contain;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::ParamValues;
use datafusion::execution::SessionState;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::Statement as EngineStatement;
use datafusion_pg_catalog::pg_catalog::context::EmptyContextProvider;
use datafusion_pg_catalog::setup_pg_catalog;
use datafusion_pg_catalog::sql::PostgresCompatibilityParser;
use denym_purpose::{AccessPolicy, MaskKey, Storage};
use governed::Governed;
pub(crate) use mark::Mark;
use measure::{Longest, Need, complexity, measure};
use pool::{Places, StatementPool};
use rewrite::Rewrite;
use source::Source;
use sqlparser::ast::{Statement, VisitMut};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stop::{AskInJoins, Waiting, Wanted};
pub(crate) use threads::Batches;
use threads::Threads;

/// The name of the one database.
pub(crate) const CATALOG: &str = "denym";
/// Threads of one statement at most: a gateway answers many.
const MOST_PARTITIONS: usize = 8;

/// The governed catalogue with its raw files, and the threads that answer.
pub(crate) struct Engine {
    core: Arc<Core>,
    threads: Threads,
}

/// What threads share.
struct Core {
    base: SessionState,
    policy: Arc<AccessPolicy>,
    sources: BTreeMap<String, Source>,
    consents: Consents,
    key: MaskKey,
    compatible: PostgresCompatibilityParser,
    places: Places,
    limits: Limits,
}

/// A statement against the governed schema, before any purpose.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    plan: LogicalPlan,
    governed: bool,
    /// Types of the parameters, in order.
    pub(crate) parameters: Vec<Option<DataType>>,
    /// What it returns.
    pub(crate) schema: SchemaRef,
    /// The governed tables that it reads.
    pub(crate) tables: BTreeSet<String>,
}

impl Engine {
    /// The catalogue alone: a governed table in it can be described, not read.
    pub(crate) fn catalogue(policy: Arc<AccessPolicy>, limits: &Limits) -> Result<Self, Error> {
        Ok(Self {
            core: Arc::new(Core::new(policy, limits)?),
            threads: Threads::start()?,
        })
    }

    /// The catalogue with its files, each checked against the policy, and the consents, each of a record.
    pub(crate) async fn open(
        policy: Arc<AccessPolicy>,
        folder: &Path,
        files: &BTreeMap<String, PathBuf>,
        consent: ConsentFile,
        key: MaskKey,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let mut core = Core::new(policy.clone(), limits)?;
        for name in files.keys() {
            policy.table(name)?;
        }
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
            let source = Source::open(&core.base, table, &path).await?;
            core.sources.insert(name.clone(), source);
        }
        core.consents = Consents::new(consent);
        core.key = key;
        core.check_consents().await?;
        Ok(Self {
            core: Arc::new(core),
            threads: Threads::start()?,
        })
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
            self.core.adapt(statement, sql)?
        };
        let mut statement = statement;
        patterns::adapt(&mut statement)?;
        weight::check(&statement)?;
        let core = self.core.clone();
        let user = user.to_owned();
        // one that is planned counts as one that runs
        let place = core.places.take(&user).await?;
        self.threads
            .run(async move {
                let planned = core.plan(&user, statement, governed).await;
                drop(place);
                planned
            })
            .await
    }

    /// Runs a statement. Without a request only the catalogue can be read.
    pub(crate) async fn run(
        &self,
        user: &str,
        planned: &Planned,
        values: ParamValues,
        request: Option<Request>,
    ) -> Result<Batches, Refusal> {
        let core = self.core.clone();
        let place = core.places.take(user).await?;
        let (user, planned) = (user.to_owned(), planned.clone());
        let waiting = Waiting::default();
        let wanted = waiting.wanted();
        let started = self
            .threads
            .run(async move {
                core.run(&user, planned, values, request, place, wanted)
                    .await
            })
            .await?;
        Ok(started.awaited(waiting))
    }
}

impl Core {
    fn new(policy: Arc<AccessPolicy>, limits: &Limits) -> Result<Self, Error> {
        let unusable = |what: &str| Error::Table {
            table: "catalogue".into(),
            what: what.into(),
        };
        // nothing of a query is written to disk, it may be raw; and nothing is remembered of a file, it may be another one
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_limit(limits.memory, 1.0)
            .with_metadata_cache_limit(0)
            .with_object_list_cache_limit(0)
            .with_file_statistics_cache_limit(0)
            .with_disk_manager_builder(
                DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled),
            )
            .build_arc()
            .map_err(|_| unusable("the query engine does not start"))?;
        let mut config = SessionConfig::new()
            .with_information_schema(true)
            .with_default_catalog_and_schema(CATALOG, "public");
        let partitions = config.target_partitions().min(MOST_PARTITIONS);
        config = config.with_target_partitions(partitions);
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
        catalogue::register(&context);
        let mut builder = SessionStateBuilder::new_from_existing(context.state());
        names::add(&mut builder);
        functions::keep_listed(&mut builder);
        let base = builder.build();
        Ok(Self {
            base,
            policy,
            sources: BTreeMap::new(),
            consents: Consents::new(ConsentFile::none()),
            key: MaskKey::new(Vec::new()),
            compatible: PostgresCompatibilityParser::new(),
            places: Places::new(limits.statements_per_user),
            limits: limits.clone(),
        })
    }

    /// Every row of the consent file is about a record.
    async fn check_consents(&self) -> Result<(), Error> {
        for (name, source) in &self.sources {
            let table = self.policy.table(name)?;
            if table.storage == Storage::Table {
                let data = source.current(&self.base).await?;
                self.consents
                    .of(&self.policy, &self.base, table, &data)
                    .await?;
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

    async fn plan(
        &self,
        user: &str,
        statement: Statement,
        governed: bool,
    ) -> Result<Planned, Refusal> {
        let state = self.state(user).build();
        let statement = EngineStatement::Statement(Box::new(statement));
        let plan = state
            .statement_to_plan(statement)
            .await
            .map_err(|error| failure::planning(&error))?;
        if matches!(
            &plan,
            LogicalPlan::Dml(_)
                | LogicalPlan::Ddl(_)
                | LogicalPlan::Copy(_)
                | LogicalPlan::Explain(_)
                | LogicalPlan::Analyze(_)
                | LogicalPlan::Statement(_)
        ) {
            // the allow-list comes first; this is the second lock
            return Err(Error::NotAllowed {
                what: "anything but a query".into(),
            }
            .into());
        }
        functions::check(&plan, governed)?;
        let tables = tables::read(&self.policy, &plan).ok_or_else(failure::failed)?;
        Ok(Planned {
            tables,
            parameters: parameters::parameters(&plan),
            schema: Arc::new(plan.schema().as_arrow().clone()),
            plan,
            governed,
        })
    }

    /// A client's question about the catalogue, in words the engine understands.
    fn adapt(&self, statement: &Statement, sql: &str) -> Result<Statement, Refusal> {
        // a question that no client asks of a catalogue goes as it is
        if !crate::statement::is_flat(sql) {
            return Ok(statement.clone());
        }
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

    async fn run(
        &self,
        user: &str,
        planned: Planned,
        values: ParamValues,
        request: Option<Request>,
        place: pool::Place,
        wanted: Wanted,
    ) -> Result<Batches, Refusal> {
        let failed = |error: datafusion::error::DataFusionError| failure::running(&error);
        let mut plan = planned.plan;
        if !planned.parameters.is_empty() {
            plan = plan.replace_params_with_values(&values).map_err(failed)?;
            // values may be what constants may not
            functions::check(&plan, planned.governed)?;
        }
        let plan = bounded::apply(plan).map_err(failed)?;
        let mut builder = self.state(user);
        let mut longest = Longest::new();
        if let Some(request) = request {
            let (rule, found) = self.rewrite(request, &planned.tables).await?;
            longest = found;
            if let Some(analyzer) = builder.analyzer() {
                analyzer.rules.insert(0, Arc::new(rule));
            } else {
                return Err(failure::failed());
            }
        }
        complexity(&plan)?;
        let state = builder
            .with_optimizer_rule(Arc::new(AskInJoins {
                wanted: wanted.clone(),
            }))
            .with_physical_optimizer_rule(Arc::new(Contain { wanted }))
            .build();
        let plan = state.optimize(&plan).map_err(failed)?;
        let most = self.limits.statement_memory();
        let need = measure(&plan, &longest, most / 8)?;
        let builder = SessionStateBuilder::new_from_existing(state);
        let state = self.bound(builder, &need).build();
        let pool = &state.runtime_env().memory_pool;
        let partitions = state.config().target_partitions();
        let memory = pool::in_flight(pool, need.bytes.saturating_mul(partitions))?;
        let planner = state.query_planner();
        let physical = planner
            .create_physical_plan(&plan, &state)
            .await
            .map_err(failed)?;
        let stream = execute_stream(physical, state.task_ctx()).map_err(failed)?;
        Ok(Batches::start(stream, place, memory))
    }

    /// A state with the memory and the batches of one statement.
    fn bound(&self, builder: SessionStateBuilder, need: &Need) -> SessionStateBuilder {
        let shared = self.base.runtime_env();
        let most = self.limits.statement_memory();
        let own = StatementPool::new(shared.memory_pool.clone(), most);
        let runtime = RuntimeEnv {
            memory_pool: Arc::new(own),
            ..shared.as_ref().clone()
        };
        let config = self.base.config().clone().with_batch_size(need.batch);
        builder
            .with_config(config)
            .with_runtime_env(Arc::new(runtime))
    }

    /// The rule for a request, with the tables of its plan as they are now.
    async fn rewrite(
        &self,
        request: Request,
        tables: &BTreeSet<String>,
    ) -> Result<(Rewrite, Longest), Refusal> {
        let mut rule = Rewrite {
            request,
            sources: BTreeMap::new(),
            consents: BTreeMap::new(),
            key: self.key.clone(),
        };
        let mut longest = Longest::new();
        for name in tables {
            let (Ok(table), Some(source)) = (self.policy.table(name), self.sources.get(name))
            else {
                return Err(failure::failed());
            };
            let data = source.current(&self.base).await?;
            if table.storage == Storage::Table {
                let consents = self
                    .consents
                    .of(&self.policy, &self.base, table, &data)
                    .await?;
                rule.consents.insert(name.clone(), consents);
            } else {
                self.consents.none_of(&self.policy, table)?;
            }
            longest.insert(name.clone(), data.longest.clone());
            rule.sources.insert(name.clone(), data);
        }
        Ok((rule, longest))
    }
}
