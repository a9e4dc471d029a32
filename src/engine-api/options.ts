import { boolean, path, port } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { whoMayCome } from '#jsonrpc/settings/options.ts'

export const engineOptions = defineOptions('Engine API', {
  enabled: {
    flag: '--engine-rpc-enabled',
    kind: boolean,
    default: false,
    help: 'Serve the Engine API, for a consensus client.',
    details:
      'The consensus client alone chooses the head. Only for networks that are proof of stake from block 1 on. The port is on the host of --rpc-http-host.',
  },
  port: {
    flag: '--engine-rpc-port',
    aliases: ['--engine-rpc-http-port'],
    kind: port(),
    default: 8551,
    help: 'Port to listen on; 0 lets the system choose.',
  },
  jwtSecret: {
    flag: '--engine-jwt-secret',
    kind: path,
    label: 'FILE',
    help: 'File with the secret shared with the consensus client.',
    details: '32 bytes as hex. Without the option, a new secret is written to jwt.hex in the data directory.',
  },
  jwtDisabled: {
    flag: '--engine-jwt-disabled',
    kind: boolean,
    default: false,
    help: 'Accept requests without a token. Never on a reachable port.',
  },
  hostAllowlist: {
    flag: '--engine-host-allowlist',
    kind: whoMayCome('hostnames'),
    label: 'HOST,…',
    default: ['localhost', '127.0.0.1'],
    help: 'Accepted Host headers for the Engine API; * for all.',
  },
})
