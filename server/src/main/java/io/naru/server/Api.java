package io.naru.server;

import static io.naru.server.http.Route.Audience.ADMIN;
import static io.naru.server.http.Route.Audience.OPERATOR;
import static io.naru.server.http.Route.Audience.PUBLIC;
import static io.naru.server.http.Route.Audience.SIGNAL;
import static io.naru.server.http.Route.Audience.VIEWER;
import static io.naru.server.http.Route.Body.FORM;
import static io.naru.server.http.Route.Body.JSON;
import static io.naru.server.http.Route.Body.LONG;
import static io.naru.server.http.Route.Body.NONE;
import static io.naru.server.http.Route.Body.PERHAPS;
import static io.naru.server.http.Route.Pages.ANY;
import static io.naru.server.http.Route.Pages.CONSOLE;
import static io.naru.server.http.Route.Pages.LINKED;
import static io.naru.server.http.Route.Pages.OWN;
import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.naru.audit.AuditTrail;
import io.naru.history.History;
import io.naru.line.Line;
import io.naru.queue.Entry;
import io.naru.queue.EntryTokens;
import io.naru.queue.HandoffCodes;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.access.AccessHandlers;
import io.naru.server.access.AccessKeyring;
import io.naru.server.access.AuditHandlers;
import io.naru.server.access.Refusals;
import io.naru.server.access.SessionHandlers;
import io.naru.server.access.Sessions;
import io.naru.server.admin.AdminHandlers;
import io.naru.server.admin.CheckHandler;
import io.naru.server.admin.KeyHandlers;
import io.naru.server.admin.LaneHandlers;
import io.naru.server.admin.SignalHandler;
import io.naru.server.admin.TransferHandlers;
import io.naru.server.board.Boards;
import io.naru.server.console.ConsoleHandlers;
import io.naru.server.console.Live;
import io.naru.server.doors.Doorkeeper;
import io.naru.server.doors.Proofs;
import io.naru.server.entry.CompleteHandler;
import io.naru.server.entry.EnterHandler;
import io.naru.server.entry.EntryJson;
import io.naru.server.entry.LeaveHandler;
import io.naru.server.entry.ProofHandlers;
import io.naru.server.entry.RedeemHandler;
import io.naru.server.entry.ReturnHandler;
import io.naru.server.entry.SiteKey;
import io.naru.server.entry.StatusHandler;
import io.naru.server.fair.DrawHandlers;
import io.naru.server.handoff.HandoffHandler;
import io.naru.server.home.HomeHandler;
import io.naru.server.http.Route;
import io.naru.server.http.RouteTable;
import io.naru.server.identity.Identity;
import io.naru.server.keys.PublicKeyHandlers;
import io.naru.server.keys.SigningKeys;
import io.naru.server.limits.AddressLimits;
import io.naru.server.log.LogHandlers;
import io.naru.server.metrics.Health;
import io.naru.server.metrics.HealthHandlers;
import io.naru.server.pass.EndedHandler;
import io.naru.server.pass.GateHandler;
import io.naru.server.pass.Passes;
import io.naru.server.people.HistoryHandlers;
import io.naru.server.people.PeopleHandlers;
import io.naru.server.stream.Streams;
import io.naru.server.wait.Assets;
import io.naru.server.wait.WaitHandlers;
import io.naru.server.webhooks.WebhookHandlers;
import io.naru.transfer.Transfers;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Every call that the server answers. {@code openapi.yaml} describes the same, and a test compares.
 */
final class Api {

  private Api() {}

  /** What passes are made of, and what of it is public. */
  record PassParts(
      SigningKeys keys,
      Passes passes,
      PublicKeyHandlers published,
      EndedHandler ended,
      GateHandler gate,
      SiteKey siteKey,
      InstantSource clock) {}

  /**
   * Who may act as an operator, and who did.
   *
   * @param audit null where only the log has it
   */
  record AccessParts(
      AccessKeyring keys, Sessions sessions, Refusals refusals, @Nullable AuditTrail audit) {}

  static RouteTable routes(
      Queues queues,
      Line line,
      @Nullable History history,
      Identity identity,
      Doorkeeper doorkeeper,
      Proofs proofs,
      EntryTokens tokens,
      HandoffCodes codes,
      PassParts passes,
      AccessParts operators,
      EntryJson entries,
      Streams streams,
      Live live,
      Health health,
      AddressLimits limits,
      LogHandlers logs,
      BiConsumer<QueueId, List<Entry>> admitted,
      Consumer<QueueId> signaled,
      CheckHandler.@Nullable Checks checks,
      DrawHandlers draw,
      @Nullable Transfers transfers,
      WebhookHandlers webhooks) {
    var enter = new EnterHandler(queues, identity, doorkeeper, entries, limits);
    var proof = new ProofHandlers(queues, line, tokens, limits, entries, proofs);
    var status = new StatusHandler(line, identity, tokens, entries, limits);
    var boards = new Boards(queues, line, entries.outlook());
    var leave = new LeaveHandler(queues, line, identity, tokens, limits);
    var complete = new CompleteHandler(queues, passes.passes(), passes.siteKey());
    var back = new ReturnHandler(queues, line, passes.passes(), passes.siteKey(), entries);
    var handoff =
        new HandoffHandler(
            queues,
            line,
            identity,
            tokens,
            codes,
            entries,
            limits,
            passes.passes()::issuer,
            history != null);
    var redeem = new RedeemHandler(queues, passes.passes());
    var keys = new KeyHandlers(passes.keys());
    var assets = new Assets();
    var wait =
        new WaitHandlers(
            queues,
            line,
            identity,
            doorkeeper,
            limits,
            proofs.verifierOrigins(),
            passes.passes(),
            assets,
            entries.outlook());
    var admin =
        new AdminHandlers(
            queues,
            passes.passes()::issuer,
            admitted,
            operators.refusals(),
            entries.outlook().pauses());
    var signal = new SignalHandler(queues, signaled);
    var lanes = new LaneHandlers(queues);
    var access = new AccessHandlers(operators.keys());
    var session = new SessionHandlers(operators.keys(), operators.sessions(), limits);
    var audit = new AuditHandlers(operators.audit());
    var past = new HistoryHandlers(history);
    var people =
        new PeopleHandlers(
            queues,
            line,
            history,
            tokens,
            passes.passes(),
            passes.keys(),
            health::isPaused,
            passes.clock(),
            operators.audit());
    var console = new ConsoleHandlers();
    var home = new HomeHandler(assets.folder(), passes.passes()::issuer, Version.get());
    var check = new CheckHandler(checks, operators.audit());
    var transfer = new TransferHandlers(transfers, operators.audit());
    var probes = new HealthHandlers(health);
    return new RouteTable(
        List.of(
            new Route(POST, "/queue/{type}/{id}/enter", PUBLIC, OWN, PERHAPS, enter::handle),
            new Route(GET, "/queue/token/{entryToken}/status", PUBLIC, ANY, NONE, status::byToken),
            new Route(
                GET, "/queue/token/{entryToken}/challenge", PUBLIC, ANY, NONE, proof::challenge),
            new Route(POST, "/queue/token/{entryToken}/proof", PUBLIC, ANY, JSON, proof::prove),
            new Route(GET, "/queue/{type}/{id}/status", PUBLIC, OWN, NONE, status::byUser),
            new Route(
                GET,
                "/queue/{type}/{id}/subscribe/{entryToken}",
                PUBLIC,
                ANY,
                NONE,
                streams::handle),
            new Route(GET, "/queue/{type}/{id}/board", PUBLIC, ANY, NONE, boards::handle),
            new Route(
                GET,
                "/queue/{type}/{id}/board/{lane}/{size}/{from}/{gone}",
                PUBLIC,
                ANY,
                NONE,
                boards::tile),
            new Route(
                GET, "/queue/{type}/{id}/log/checkpoint", PUBLIC, ANY, NONE, logs::checkpoint),
            new Route(GET, "/queue/{type}/{id}/log/key", PUBLIC, ANY, NONE, logs::key),
            new Route(
                GET, "/queue/{type}/{id}/log/tile/{level}/{n}", PUBLIC, ANY, NONE, logs::tile),
            new Route(
                GET, "/queue/{type}/{id}/log/tile/{level}/{x}/{n}", PUBLIC, ANY, NONE, logs::tile),
            new Route(
                GET,
                "/queue/{type}/{id}/log/tile/{level}/{x}/{y}/{n}",
                PUBLIC,
                ANY,
                NONE,
                logs::tile),
            new Route(
                GET,
                "/queue/{type}/{id}/log/tile/{level}/{x}/{y}/{z}/{n}",
                PUBLIC,
                ANY,
                NONE,
                logs::tile),
            new Route(GET, "/queue/token/{entryToken}/receipt", PUBLIC, ANY, NONE, logs::receipt),
            new Route(GET, "/queue/{type}/{id}/draw", PUBLIC, ANY, NONE, draw::draw),
            new Route(
                GET, "/queue/{type}/{id}/draw/leaves/{part}", PUBLIC, ANY, NONE, draw::leaves),
            new Route(POST, "/queue/{type}/{id}/leave", PUBLIC, OWN, NONE, leave::handle),
            new Route(POST, "/queue/{type}/{id}/complete", PUBLIC, ANY, NONE, complete::handle),
            new Route(POST, "/queue/{type}/{id}/return", PUBLIC, ANY, PERHAPS, back::handle),
            new Route(POST, "/queue/{type}/{id}/handoff", PUBLIC, OWN, PERHAPS, handoff::handle),
            new Route(POST, "/queue/{type}/{id}/redeem", PUBLIC, ANY, JSON, redeem::handle),
            new Route(GET, "/queue/{type}/{id}/ended", PUBLIC, ANY, NONE, passes.ended()::handle),
            new Route(GET, "/gate/check", PUBLIC, ANY, NONE, passes.gate()::handle),
            new Route(GET, "/.well-known/jwks.json", PUBLIC, ANY, NONE, passes.published()::jwks),
            new Route(
                GET,
                "/.well-known/naru-revocations",
                PUBLIC,
                ANY,
                NONE,
                passes.published()::revocations),
            new Route(GET, "/", PUBLIC, ANY, NONE, home::handle),
            new Route(GET, "/wait/sw.js", PUBLIC, ANY, NONE, assets::worker),
            new Route(GET, "/wait/{type}/{id}", PUBLIC, LINKED, NONE, wait::page),
            new Route(POST, "/wait/{type}/{id}", PUBLIC, OWN, FORM, wait::enter),
            new Route(GET, "/wait/{type}/{id}/place", PUBLIC, LINKED, NONE, wait::place),
            new Route(GET, "/wait/{type}/{id}/fair", PUBLIC, ANY, NONE, wait::fair),
            new Route(GET, "/wait/assets/{version}/{file}", PUBLIC, ANY, NONE, assets::handle),
            new Route(GET, "/naru.js", PUBLIC, ANY, NONE, assets::client),
            new Route(GET, "/naru-board.js", PUBLIC, ANY, NONE, assets::board),
            new Route(GET, "/naru-proof.js", PUBLIC, ANY, NONE, assets::proof),
            new Route(GET, "/naru.d.ts", PUBLIC, ANY, NONE, assets::types),
            new Route(GET, "/console", PUBLIC, LINKED, NONE, console::page),
            new Route(GET, "/console/assets/{version}/{file}", PUBLIC, ANY, NONE, console::asset),
            new Route(GET, "/console/preview/{language}", PUBLIC, OWN, NONE, wait::preview),
            new Route(GET, "/health/live", PUBLIC, ANY, NONE, probes::live),
            new Route(GET, "/health/ready", PUBLIC, ANY, NONE, probes::ready),
            new Route(POST, "/admin/queue/activate", OPERATOR, ANY, JSON, admin::activate),
            new Route(POST, "/admin/queue/deactivate", OPERATOR, ANY, JSON, admin::deactivate),
            new Route(POST, "/admin/queue/pause", OPERATOR, ANY, JSON, admin::pause),
            new Route(POST, "/admin/queue/resume", OPERATOR, ANY, JSON, admin::resume),
            new Route(POST, "/admin/queue/close", OPERATOR, ANY, JSON, admin::close),
            new Route(POST, "/admin/queue/open", OPERATOR, ANY, JSON, admin::open),
            new Route(POST, "/admin/queue/end", OPERATOR, ANY, JSON, admin::end),
            new Route(POST, "/admin/queue/process", OPERATOR, ANY, JSON, admin::process),
            new Route(POST, "/admin/queue/signal", SIGNAL, ANY, JSON, signal::handle),
            new Route(POST, "/admin/queue/stock", SIGNAL, ANY, JSON, admin::stock),
            new Route(POST, "/admin/queue/codes", OPERATOR, ANY, JSON, lanes::codes),
            new Route(POST, "/admin/queue/move", OPERATOR, ANY, JSON, lanes::move),
            new Route(POST, "/admin/queue/draw", OPERATOR, ANY, JSON, draw::bring),
            new Route(GET, "/admin/keys", ADMIN, ANY, NONE, keys::list),
            new Route(POST, "/admin/keys/rotate", ADMIN, ANY, NONE, keys::rotate),
            new Route(POST, "/admin/keys/revoke", ADMIN, ANY, JSON, keys::revoke),
            new Route(POST, "/admin/passes/revoke", OPERATOR, ANY, JSON, keys::revokePass),
            new Route(GET, "/admin/access-keys", ADMIN, ANY, NONE, access::list),
            new Route(POST, "/admin/access-keys", ADMIN, ANY, JSON, access::add),
            new Route(DELETE, "/admin/access-keys/{id}", ADMIN, ANY, NONE, access::revoke),
            new Route(GET, "/admin/webhooks", OPERATOR, ANY, NONE, webhooks::list),
            new Route(POST, "/admin/webhooks", ADMIN, ANY, JSON, webhooks::add),
            new Route(GET, "/admin/webhooks/{id}", OPERATOR, ANY, NONE, webhooks::get),
            new Route(PUT, "/admin/webhooks/{id}", ADMIN, ANY, JSON, webhooks::edit),
            new Route(DELETE, "/admin/webhooks/{id}", ADMIN, ANY, NONE, webhooks::delete),
            new Route(POST, "/admin/webhooks/{id}/rotate", ADMIN, ANY, PERHAPS, webhooks::rotate),
            new Route(POST, "/admin/webhooks/{id}/test", OPERATOR, ANY, NONE, webhooks::test),
            new Route(
                POST, "/admin/webhooks/{id}/replay", OPERATOR, ANY, JSON, webhooks::replayFailed),
            new Route(
                GET, "/admin/webhooks/{id}/deliveries", OPERATOR, ANY, NONE, webhooks::deliveries),
            new Route(
                GET,
                "/admin/webhooks/{id}/deliveries/{delivery}",
                OPERATOR,
                ANY,
                NONE,
                webhooks::delivery),
            new Route(
                POST,
                "/admin/webhooks/{id}/deliveries/{delivery}/replay",
                OPERATOR,
                ANY,
                NONE,
                webhooks::replay),
            new Route(GET, "/admin/audit", ADMIN, ANY, NONE, audit::all),
            new Route(GET, "/admin/queues/{type}/{id}/audit", VIEWER, ANY, NONE, audit::ofQueue),
            new Route(GET, "/console/session", PUBLIC, CONSOLE, NONE, session::get),
            new Route(POST, "/console/session", PUBLIC, CONSOLE, JSON, session::begin),
            new Route(DELETE, "/console/session", PUBLIC, CONSOLE, NONE, session::end),
            new Route(GET, "/admin/queues", VIEWER, ANY, NONE, admin::list),
            new Route(GET, "/admin/queues/{type}/{id}", VIEWER, ANY, NONE, admin::get),
            new Route(PUT, "/admin/queues/{type}/{id}", OPERATOR, ANY, JSON, admin::put),
            new Route(GET, "/admin/queues/{type}/{id}/live", VIEWER, ANY, NONE, live::handle),
            new Route(POST, "/admin/queues/{type}/{id}/check", OPERATOR, ANY, NONE, check::handle),
            new Route(DELETE, "/admin/queues/{type}/{id}", ADMIN, ANY, NONE, admin::delete),
            new Route(GET, "/admin/queues/{type}/{id}/export", ADMIN, ANY, NONE, transfer::export),
            new Route(
                POST, "/admin/queues/{type}/{id}/import", ADMIN, ANY, LONG, transfer::restore),
            new Route(
                GET, "/admin/queues/{type}/{id}/statistics", VIEWER, ANY, NONE, past::statistics),
            new Route(GET, "/admin/queues/{type}/{id}/timeline", VIEWER, ANY, NONE, past::timeline),
            new Route(GET, "/admin/queues/{type}/{id}/rate", VIEWER, ANY, NONE, past::rate),
            new Route(GET, "/admin/queues/{type}/{id}/people", VIEWER, ANY, NONE, people::find),
            new Route(
                GET, "/admin/queues/{type}/{id}/people/{user}", VIEWER, ANY, NONE, people::person),
            new Route(
                DELETE, "/admin/queues/{type}/{id}/people/{user}", ADMIN, ANY, NONE, people::erase),
            new Route(
                POST,
                "/admin/queues/{type}/{id}/people/{user}/remove",
                OPERATOR,
                ANY,
                NONE,
                people::remove),
            new Route(
                POST,
                "/admin/queues/{type}/{id}/people/{user}/revoke",
                OPERATOR,
                ANY,
                NONE,
                people::revoke)));
  }
}
