{{/* The name of a node in the cluster: dict "root" $ "name" .name */}}
{{- define "cairn.node" -}}
{{- printf "%s-%s" .root.Release.Name .name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "cairn.labels" -}}
app.kubernetes.io/name: cairn
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .node.name }}
{{- end -}}

{{/* Where the others reach it. */}}
{{- define "cairn.enode" -}}
enode://{{ .node.id }}@{{ include "cairn.host" . }}:30303
{{- end -}}

{{/* The name under which its pod is found, also while it is not ready. */}}
{{- define "cairn.host" -}}
{{ include "cairn.node" (dict "root" .root "name" .node.name) }}-p2p.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end -}}

{{/* "true" if other pods reach its JSON-RPC over HTTP. */}}
{{- define "cairn.isReachable" -}}
{{- if or .node.expose.http .root.Values.console.exposeNodes }}true{{ end -}}
{{- end -}}

{{/* The arguments of a node, as a JSON list. Those after the first depend on the names of this release. */}}
{{- define "cairn.args" -}}
{{- $root := .root }}
{{- $node := .node }}
{{- $args := list (printf "--config-file=%s/config.toml" (ternary "/etc/cairn-secrets" "/etc/cairn" (empty $node.config))) }}
{{- if include "cairn.isReachable" . }}
{{- $service := include "cairn.node" (dict "root" $root "name" $node.name) }}
{{- $hosts := concat (ternary $node.hosts (list "localhost" "127.0.0.1") (hasKey $node "hosts")) (list $service (printf "%s.%s" $service $root.Release.Namespace) (printf "%s.%s.svc.%s" $service $root.Release.Namespace $root.Values.clusterDomain) (include "cairn.host" .)) }}
{{- $args = concat $args (list "--rpc-http-host=0.0.0.0" (printf "--host-allowlist=%s" (join "," ($hosts | uniq)))) }}
{{- end }}
{{- if $node.console }}
{{- $shown := list }}
{{- range $each := $root.Values.nodes }}
{{- /* The console lists at most 100 nodes. */}}
{{- if and (include "cairn.isReachable" (dict "root" $root "node" $each)) (lt (len $shown) 100) }}
{{- $shown = append $shown (printf "%s=http://%s:8545" $each.name (include "cairn.host" (dict "root" $root "node" $each))) }}
{{- end }}
{{- end }}
{{- if $shown }}{{ $args = append $args (printf "--console-nodes=%s" (join "," $shown)) }}{{ end }}
{{- end }}
{{- $args | toJson }}
{{- end -}}
