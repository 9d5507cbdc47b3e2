package io.naru.bench.scenario;

import java.util.List;

/** Every scenario, in the order in which they run. */
public final class Scenarios {

  public static final List<Scenario> ALL =
      List.of(
          new StartUp(),
          new Throughput(),
          new Crowd(),
          new LongLines(),
          new PerCore(),
          new Ledgers(),
          new Copies(),
          new Longest(),
          new TurnsOver(),
          new ManyQueues(),
          new OpenConsoles(),
          new Acts(),
          new LogCost(),
          new KafkaCost(),
          new BoardWatchers(),
          new FollowedSite(),
          new Flood(),
          new Heal(),
          new NoRedis(),
          new FaultsAtSize(),
          new Openings(),
          new Verified(),
          new Viewers(),
          new ViewersOfThree(),
          new MissionC(),
          new GateCost(),
          new GateCheck(),
          new GatewayCost());

  private Scenarios() {}
}
