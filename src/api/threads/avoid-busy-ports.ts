import { websocketOptions } from '#api/options.ts'
import type { Option } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import { consoleOptions } from '#console/options.ts'
import { probePort } from '#serve/probe-port.ts'
import { Fault } from '#types/fault.ts'

interface Place {
  readonly host: string
  readonly port: number
}

interface ListeningService {
  readonly name: string
  readonly host: Option
  readonly port: Option<number>
}

const WEBSOCKET: ListeningService = {
  name: 'WebSocket',
  host: websocketOptions.host,
  port: websocketOptions.port,
}
const CONSOLE: ListeningService = {
  name: 'console',
  host: consoleOptions.host,
  port: consoleOptions.port,
}

/**
 * On the development network, WebSocket and console get a free port if their default port is busy, for example with a
 * validator of a local network. The user asked for neither service. The HTTP port stays, because tools expect it.
 */
export async function avoidBusyPorts<
  Config extends {
    readonly devKeys: readonly string[] | undefined
    readonly websocket: Place | null
    readonly pipeline: Place | null
  },
>(
  config: Config,
  settings: Pick<Settings, 'isGiven'>,
  onBusy: (service: string, port: number) => void,
): Promise<Config> {
  if (config.devKeys === undefined) return config
  const { websocket, pipeline } = config
  return {
    ...config,
    websocket: websocket && { ...websocket, port: await usablePort(WEBSOCKET, websocket) },
    pipeline: pipeline && { ...pipeline, port: await usablePort(CONSOLE, pipeline) },
  }

  async function usablePort(
    { name, host, port: option }: ListeningService,
    { host: address, port }: Place,
  ): Promise<number> {
    if (settings.isGiven(option)) return port
    try {
      return await probePort({ host: address, port, hostOption: host.flag, portOption: option.flag })
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'ADDRESS_IN_USE') throw error
      onBusy(name, port)
      return 0
    }
  }
}
