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
enode://{{ .node.id }}@{{ include "cairn.node" (dict "root" .root "name" .node.name) }}-p2p.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}:30303
{{- end -}}
