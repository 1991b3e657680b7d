const { expect } = require('chai')
const service = require('../../src/services/parcelService')

describe('parcelService', () => {
  it('can create', () => {
    expect(service.create).to.be.a('function')
  })
})
