/** The options that JSON-RPC over HTTP and over WebSocket have alike. */
import { boolean, integer, oneOf, path, port, text } from '#config/kinds.ts'
import { TOKEN_ALGORITHMS } from '#rpc/auth/public-key.ts'
import { apiList, methodList } from '#rpc/registry/api-names.ts'
import { loadedApiNames } from '#rpc/registry/method-names.ts'

type Word = 'http' | 'ws'

export function listeningRows(word: Word, transport: string, defaultPort: number) {
  return {
    enabled: {
      flag: `--rpc-${word}-enabled`,
      kind: boolean,
      default: false,
      help: `Serve JSON-RPC over ${transport}.`,
    },
    host: {
      flag: `--rpc-${word}-host`,
      kind: text,
      label: 'HOST',
      default: '127.0.0.1',
      help: 'Host to listen on.',
    },
    port: {
      flag: `--rpc-${word}-port`,
      kind: port(),
      default: defaultPort,
      help: 'Port to listen on; 0 lets the system choose.',
    },
    apis: {
      flag: `--rpc-${word}-api`,
      aliases: [`--rpc-${word}-apis`],
      kind: apiList,
      label: 'API,…',
      default: ['ETH', 'NET', 'WEB3'],
      help: () => `APIs to serve: ${loadedApiNames().join(', ')}.`,
    },
    noAuthMethods: {
      flag: `--rpc-${word}-api-methods-no-auth`,
      aliases: [`--rpc-${word}-api-method-no-auth`],
      kind: methodList,
      label: 'METHOD,…',
      default: [],
      help: 'Methods that need no token while authentication is enabled.',
    },
    maxConnections: {
      flag: `--rpc-${word}-max-active-connections`,
      kind: integer({ min: 1 }),
      default: 80,
      help: 'Maximum number of open connections; further ones are closed.',
    },
  } as const
}

export function authenticationRows(word: Word) {
  return {
    authenticationEnabled: {
      flag: `--rpc-${word}-authentication-enabled`,
      kind: boolean,
      default: false,
      help: 'Require a token. Needs a credentials file or a public key file.',
    },
    credentialsFile: {
      flag: `--rpc-${word}-authentication-credentials-file`,
      kind: path,
      help: 'TOML file with the users who may log in.',
    },
    publicKeyFile: {
      flag: `--rpc-${word}-authentication-jwt-public-key-file`,
      kind: path,
      help: 'PEM file with the public key of the issuer of tokens. Disables /login.',
    },
    algorithm: {
      flag: `--rpc-${word}-authentication-jwt-algorithm`,
      aliases: [`--rcp-${word}-authentication-jwt-algorithm`],
      kind: oneOf(TOKEN_ALGORITHMS),
      label: 'ALGORITHM',
      default: 'RS256',
      help: 'Algorithm of issued tokens: RS256, RS384, RS512, ES256, ES384 or ES512.',
    },
  } as const
}
