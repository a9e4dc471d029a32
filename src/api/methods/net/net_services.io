// options: --rpc-http-port=18700 --rpc-ws-enabled --rpc-ws-port=18701 --metrics-enabled --metrics-port=18702
// ports are text
>> {"jsonrpc":"2.0","id":66,"method":"net_services","params":[]}
<< {"jsonrpc":"2.0","id":66,"result":{"jsonrpc":{"host":"127.0.0.1","port":"18700"},"ws":{"host":"127.0.0.1","port":"18701"},"metrics":{"host":"127.0.0.1","port":"18702"}}}
// options: --rpc-http-host=0.0.0.0
// only running services are listed
>> {"jsonrpc":"2.0","id":67,"method":"net_services","params":[]}
<< {"jsonrpc":"2.0","id":67,"result":{"jsonrpc":{"host":"0.0.0.0","port":"8545"}}}
