import type { INode } from 'n8n-workflow';
import { node } from './chain';

/** A node that reports its input to the outside of n8n, one item at a time: `{ execution, item }`. */
export function reportNode(name: string, url: string): INode {
	return node(name, 'n8n-nodes-base.httpRequest', 4.2, {
		method: 'POST',
		url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: '={{ JSON.stringify({ execution: $execution.id, item: $json }) }}',
		options: {},
	});
}
