const repository = require('../repositories/parcelRepository')

exports.find = async (id) => {
  const parcel = await repository.byId(id)
  if (!parcel) {
    throw new Error('no such parcel')
  }
  return parcel
}

exports.create = (parcel) => repository.insert(parcel)
