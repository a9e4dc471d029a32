/** Complete peers on loopback with their own keys; a test may pass faster curve implementations. */
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { EVERYONE_MAY, PeerRules } from './peer-rules.ts'
import { testProtocol } from './peers/peers.fixture.ts'
import { testNode } from './rlpx/handshake.fixture.ts'
import { type PeersConfig, type PeersParts, startPeers } from './start-peers.ts'

type TestNode = Awaited<ReturnType<typeof testNode>>

export async function startTestPeers(
  config: Partial<PeersConfig> = {},
  {
    node,
    recover,
    ...parts
  }: Partial<PeersParts> & { node?: TestNode; recover?: TestNode['parts']['recover'] } = {},
) {
  const identity = node ?? (await testNode(systemRandom))
  const running = await startPeers(
    {
      host: '127.0.0.1',
      advertisedIp: '127.0.0.1',
      tcpPort: 0,
      udpPort: 0,
      clientId: 'test',
      maxPeers: 25,
      maxInbound: 25,
      bootnodes: [],
      retriesBootnodes: true,
      nodeList: undefined,
      ...config,
    },
    {
      handshake: { ...identity.parts, ...(recover && { recover }) },
      clock: systemClock,
      log: createLog({ level: 'OFF' }),
      protocols: [testProtocol()],
      rules: new PeerRules([], [], undefined),
      mayConnect: EVERYONE_MAY,
      forks: { current: () => null, accepts: () => true },
      ...parts,
    },
  )
  return { node: identity, running }
}
