import { usageFault } from '#config/faults.ts'
import type { Option } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import type { Secret } from '#platform/secret.ts'
import type { TlsConfig } from './server-config.ts'
import { httpTlsOptions, websocketTlsOptions } from './tls-options.ts'

type Pkcs12Config = Extract<TlsConfig['identity'], { kind: 'pkcs12' }>
type AuthoritiesConfig = NonNullable<TlsConfig['clients']>['authorities']

const ALL_PROTOCOLS = ['TLSv1.3', 'TLSv1.2']

export function readHttpTls(settings: Settings): TlsConfig | null {
  const options = httpTlsOptions
  if (!settings.get(options.enabled)) return null
  return {
    optionPrefix: '--rpc-http-tls',
    identity: pkcs12(settings, options.keystoreFile, undefined, options.keystorePasswordFile),
    clients: httpClients(settings),
    protocols: settings.get(options.protocols),
    cipherSuites: settings.get(options.cipherSuites),
  }
}

function httpClients(settings: Settings): TlsConfig['clients'] {
  const options = httpTlsOptions
  if (!settings.get(options.clientAuthEnabled)) return null
  const knownClientsFile = settings.get(options.knownClientsFile) ?? null
  const byAuthority = settings.get(options.caClientsEnabled)
  if (knownClientsFile === null && !byAuthority) {
    throw usageFault(
      `${options.clientAuthEnabled.flag} needs to know whom to admit: give ${options.knownClientsFile.flag} or ${options.caClientsEnabled.flag}.`,
    )
  }
  const truststore = settings.get(options.truststoreFile)
  const authorities =
    truststore === undefined
      ? 'system'
      : pkcs12(settings, options.truststoreFile, undefined, options.truststorePasswordFile)
  return { knownClientsFile, authorities: byAuthority ? authorities : null }
}

export function readWebSocketTls(settings: Settings): TlsConfig | null {
  const options = websocketTlsOptions
  if (!settings.get(options.enabled)) return null
  refuseJavaStore(settings, options.keystoreType)
  refuseJavaStore(settings, options.truststoreType)
  return {
    optionPrefix: '--rpc-ws-ssl',
    identity: websocketIdentity(settings),
    clients: settings.get(options.clientAuthEnabled)
      ? { knownClientsFile: null, authorities: websocketAuthorities(settings) }
      : null,
    protocols: ALL_PROTOCOLS,
    cipherSuites: [],
  }
}

function websocketIdentity(settings: Settings): TlsConfig['identity'] {
  const { keyFile, certFile, keystoreFile, keystorePassword, keystorePasswordFile } = websocketTlsOptions
  const key = settings.get(keyFile)
  const certificate = settings.get(certFile)
  if (key !== undefined && certificate !== undefined)
    return { kind: 'pem', keyFile: key, certificateFile: certificate }
  if (key !== undefined || certificate !== undefined) {
    throw usageFault(`${keyFile.flag} and ${certFile.flag} go together: give both, or ${keystoreFile.flag}.`)
  }
  return pkcs12(settings, keystoreFile, keystorePassword, keystorePasswordFile)
}

function websocketAuthorities(settings: Settings): AuthoritiesConfig {
  const { trustcertFile, truststoreFile, truststorePassword, truststorePasswordFile } = websocketTlsOptions
  const pem = settings.get(trustcertFile)
  if (pem !== undefined) return { kind: 'pem', file: pem }
  if (settings.get(truststoreFile) === undefined) return 'system'
  return pkcs12(settings, truststoreFile, truststorePassword, truststorePasswordFile)
}

function pkcs12(
  settings: Settings,
  file: Option<string | undefined>,
  password: Option<Secret<string> | undefined> | undefined,
  passwordFile: Option<string | undefined>,
): Pkcs12Config {
  const store = settings.get(file)
  if (store === undefined) throw usageFault(`TLS needs a key and a certificate: give ${file.flag}.`)
  const secret = password && settings.get(password)?.reveal()
  if (secret !== undefined) return { kind: 'pkcs12', file: store, password: { secret } }
  const from = settings.get(passwordFile)
  if (from === undefined) throw usageFault(`The password of ${store} is missing: give ${passwordFile.flag}.`)
  return { kind: 'pkcs12', file: store, password: { file: from } }
}

function refuseJavaStore(settings: Settings, option: Option<string | undefined>): void {
  const type = settings.get(option)
  if (type === undefined || ['PKCS12', 'PEM'].includes(type.toUpperCase())) return
  throw usageFault(
    `${option.flag}=${type} cannot be read. Convert the store: keytool -importkeystore -srckeystore <FILE> -destkeystore <FILE>.p12 -deststoretype PKCS12.`,
  )
}
