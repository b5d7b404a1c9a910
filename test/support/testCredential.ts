import { CredentialTestContext } from 'n8n-core';
import type { ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';
import { Crew } from '../../nodes/Crew/Crew.node';
import { additionalData } from './engine';

/** Tests a credential in the way of n8n's credential editor. */
export async function testCredential(
	data: Record<string, unknown>,
): Promise<INodeCredentialTestResult> {
	const credential = { id: '1', name: 'Crew API', type: 'crewApi', data };
	const context = new CredentialTestContext(additionalData({}));
	return await new Crew().methods.credentialTest.testCrewApi.call(
		context,
		credential as unknown as ICredentialsDecrypted,
	);
}
