import { CrewApiError, shorten } from '../api/errors';
import type { Item } from '../n8n/item';
import { readMapper } from './kickoffInputs';

/**
 * Why a crew refused a kickoff -> the same, or that the node has not the crew's fields, and what to press: n8n asks for
 * them when the panel opens, and not again when another credential is chosen.
 */
export function blameFields(item: Item, refusal: unknown): unknown {
	if (!(refusal instanceof CrewApiError)) return refusal;
	const { httpCode, missingInputs } = refusal;
	const isFields = item.read('specifyInputs', 'fields') === 'fields';
	const { schema, mappingMode } = readMapper(item);
	const fields = Array.isArray(schema) ? schema.map(({ id }) => id) : [];
	const strange = missingInputs.filter((name) => !fields.includes(name));
	if (!isFields || strange.length === 0) return refusal;

	const isByItself = mappingMode === 'autoMapInputData';
	if (fields.length === 0) {
		// Then the whole item was sent.
		if (isByItself) return refusal;
		const description =
			'Their fields are not loaded yet. Open the node, click Retry if none appear, and fill them in.';
		return new CrewApiError(refusal.message, { httpCode, description });
	}
	const message = `The fields are not those of this crew, which requires ${shorten(strange.join(', '))}`;
	const description = isByItself
		? 'They belong to another crew, or this one has changed. Set Mapping Column Mode to Map Each Column Manually and back.'
		: 'They belong to another crew, or this one has changed. Click ⋮ beside Inputs and choose Refresh Input List.';
	return new CrewApiError(message, { httpCode, description });
}
