import { createServer } from 'node:net'
import { type ListenAddress, listen } from './listen.ts'

/** Platforms on which several sockets can listen on one port and share its connections. */
const SHARING_PLATFORMS: ReadonlySet<string> = new Set(['linux', 'freebsd', 'aix', 'sunos'])

export function canSharePorts(platform: string = process.platform): boolean {
  return SHARING_PLATFORMS.has(platform)
}

/**
 * Listens exclusively for a moment, because sockets that share a port do not notice another program on it. Resolves with
 * the port, which the system chooses if it is 0; throws like `listen`.
 */
export async function probePort(address: ListenAddress): Promise<number> {
  const [port] = await probePorts([address])
  return port!
}

/** Listens on all addresses at the same moment, so the system does not choose one port twice. */
export async function probePorts(addresses: readonly ListenAddress[]): Promise<number[]> {
  const servers = addresses.map(() => createServer())
  try {
    const ports: number[] = []
    for (const [at, address] of addresses.entries()) {
      ports.push(await listen(servers[at]!, address, () => undefined))
    }
    return ports
  } finally {
    const listening = servers.filter((server) => server.listening)
    await Promise.all(listening.map((server) => new Promise((resolve) => server.close(resolve))))
  }
}
