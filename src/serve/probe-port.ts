import { createServer } from 'node:net'
import { type ListenAddress, listen } from './listen.ts'

/** Where several sockets may listen on one port and the system shares connections out among them. */
const SHARING_PLATFORMS: ReadonlySet<string> = new Set(['linux', 'freebsd', 'aix', 'sunos'])

export function canSharePorts(platform: string = process.platform): boolean {
  return SHARING_PLATFORMS.has(platform)
}

/**
 * Listens alone for a moment: sockets that share a port do not notice that another program shares it too. Resolves
 * with the port, which the system chooses when it is 0; throws as `listen` does.
 */
export async function probePort(address: ListenAddress): Promise<number> {
  const server = createServer()
  const port = await listen(server, address, () => undefined)
  await new Promise((resolve) => server.close(resolve))
  return port
}
