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
  const server = createServer()
  const port = await listen(server, address, () => undefined)
  await new Promise((resolve) => server.close(resolve))
  return port
}
