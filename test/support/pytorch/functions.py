# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of torch, each in a module of its own through mpc_compiler.wrap, held against PyTorch's float64.

    PYTHONPATH=build/python python functions.py [WORD...]

By hand, and no part of the tests. A line for each that is refused, or whose loss or gradient is further than 1e-5 from
float64; with words those functions alone that have one of them. The operand x has 5 rows of 4 elements and is trained.
"""
import copy
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F

import mpc_compiler

FUNCTIONS = """
torch.addmv(x[:,0],x,x[0])
torch.addbmm(x@x.T,x[None],x.T[None])
torch.aminmax(x,dim=1)[0]
torch.amax(x,1)
torch.argmax(x,1)*x[:,0]
torch.atleast_3d(x)
torch.baddbmm(x[None]@x.T[None],x[None],x.T[None])
torch.block_diag(x,x)
torch.broadcast_tensors(x,x[:1])[1]
torch.bucketize(x,torch.tensor([-1.,0.,1.]))*x
torch.cartesian_prod(x[:,0],x[0])
torch.chain_matmul(x,x.T,x)
torch.combinations(x[0])
torch.corrcoef(x)
torch.cov(x)
torch.cross(x[:,:3],x[:,1:4],dim=1)
torch.cumprod(x,1)
torch.cumulative_trapezoid(x,dim=1)
torch.deg2rad(x)
torch.diag(x[0])
torch.diag_embed(x)
torch.diagflat(x[0])
torch.diagonal(x)
torch.diagonal_scatter(x[:4,:4],x[0,:4])
torch.diff(x)
torch.dist(x,x*2)
torch.dstack([x,x])
torch.einsum('ij,kj->ik',x,x)
torch.exp2(x)
torch.fake_quantize_per_tensor_affine(x,0.1,0,-128,127)
torch.float_power(x.abs()+1,2)
torch.fmod(x,0.7)
torch.frac(x)
torch.frexp(x)[0]
torch.gradient(x)[0]
torch.heaviside(x,torch.tensor(0.5))*x
torch.hsplit(x,2)[0]
torch.i0(x)
torch.igamma(x.abs().detach(),x.abs())
torch.index_reduce(x,0,torch.tensor([0,1]),x[:2],'mean')
torch.isclose(x,x*1.0)*x
torch.isin(x.round(),torch.tensor([0.,1.]))*x
torch.kron(x[:2,:2],x)
torch.ldexp(x,torch.tensor([1,2,3,1]))
torch.lerp(x,x*2,0.3)
torch.linalg.matrix_norm(x)
torch.linalg.matrix_norm(x,ord='nuc')
torch.linalg.matrix_power(x@x.T,3)
torch.linalg.multi_dot([x,x.T,x])
torch.linalg.vector_norm(x,ord=3,dim=1)
torch.linalg.eigh(x@x.T)[0]
torch.linalg.eigvalsh(x@x.T)
torch.linalg.svdvals(x)
torch.linalg.svd(x,full_matrices=False)[1]
torch.linalg.qr(x.T)[1]
torch.linalg.pinv(x)
torch.linalg.lstsq(x.T,x.T[:,:1]).solution
torch.linalg.cond(x@x.T+torch.eye(5))
torch.linalg.matrix_exp(x@x.T*0.1)
torch.matrix_exp(x@x.T*0.1)
torch.log_softmax(x,1)
torch.logit(torch.sigmoid(x))
torch.lu_solve(x[:,:1],*torch.linalg.lu_factor(x@x.T+torch.eye(5)))
torch.masked_select(x,torch.tensor([True,False,True,True]))
torch.meshgrid(x[:,0],x[0],indexing='ij')[0]
torch.mode(x,1)[0]
torch.movedim(x,0,1)
torch.msort(x)
torch.mvlgamma(x.abs()+3,2)
torch.nan_to_num(x)
torch.nanmean(x,1)
torch.nanmedian(x)
torch.nanquantile(x,0.5,1)
torch.nansum(x)
torch.narrow(x,1,1,2)
torch.nextafter(x,x+1)
torch.norm(x,p='fro')
torch.norm(x,p=float('inf'),dim=1)
torch.norm(x,p=0.5,dim=1)
torch.pairwise_distance(x,x*2)
F.pdist(x)
torch.permute(x,(1,0))
torch.poisson(x.abs())*x
torch.polar(x.abs(),x).real
torch.polygamma(1,x.abs()+1)
torch.positive(x)
torch.prod(x,1)
torch.put(x,torch.tensor([1,2]),x[0,:2])
torch.rad2deg(x)
torch.renorm(x,2,0,1.0)
torch.repeat_interleave(x,2,0)
torch.repeat_interleave(x,torch.tensor([1,2,1,3,1]),0)
torch.roll(x,1,1)
torch.rot90(x)
torch.scatter_reduce(x,1,torch.zeros(5,4,dtype=torch.long),x,'amax')
torch.select_scatter(x,x[0],0,1)
torch.sgn(x)*x
torch.signbit(x)*x
torch.sinc(x)
torch.slice_scatter(x,x[:2],0,1,3)
torch.softmax(x,1)
torch.special.entr(x.abs())
torch.special.erfcx(x)
torch.special.expit(x)
torch.special.log_ndtr(x)
torch.special.ndtr(x)
torch.special.ndtri(torch.sigmoid(x))
torch.special.xlog1py(x,x.abs())
torch.special.zeta(x.abs()+2,1.0)
torch.special.bessel_j0(x)
torch.std_mean(x,1)[0]
torch.var(x,1,correction=0)
torch.squeeze(x[None],0)
torch.stack([x,x])
torch.swapaxes(x,0,1)
torch.take(x,torch.tensor([0,5,3]))
torch.tensor_split(x,3,1)[0]
torch.tile(x,(2,2))
torch.trace(x)
torch.trapezoid(x,dim=1)
torch.tril(x)
torch.triu_indices(4,4).float().sum()*x
torch.unbind(x)[0]
torch.unflatten(x,1,(2,2))
torch.unfold_copy(x,1,2,1)
x.unfold(1,2,1)
torch.unique(x.round(),return_counts=True)[0].sum()*x
torch.vander(x[0])
torch.vdot(x[0],x[1])
torch.view_as_complex(x.reshape(5,2,2)).abs()
torch.fft.fft(x).abs()
torch.fft.rfft(x).real
torch.fft.irfft(torch.fft.rfft(x))
torch.stft(x.reshape(-1),8,window=torch.hann_window(8),return_complex=True).abs()
torch.xlogy(x.abs(),x.abs()+1)
F.adaptive_avg_pool1d(x[None],3)
F.adaptive_max_pool1d(x[None],2)
F.alpha_dropout(x,0.0)
F.bilinear(x,x,torch.ones(2,4,4))
F.binary_cross_entropy(torch.sigmoid(x),torch.sigmoid(x).detach())
F.cosine_embedding_loss(x,x*2,torch.ones(5))
F.cosine_similarity(x,x*2)
F.dropout1d(x[None],0.0)
F.embedding(torch.tensor([1,2]),x)
F.feature_alpha_dropout(x[None],0.0)
F.fractional_max_pool2d(x[None,None],2,output_size=2)
F.gaussian_nll_loss(x,x.detach()*0.5,x.abs()+0.1)
F.grid_sample(x[None,None],torch.zeros(1,2,2,2),align_corners=False)
F.group_norm(x,2)
F.gumbel_softmax(x)*0+x
F.hardshrink(x)
F.hinge_embedding_loss(x,torch.ones(5,4))
F.instance_norm(x[None])
F.interpolate(x[None],scale_factor=2)
F.interpolate(x[None,None],size=(7,9),mode='bicubic')
F.interpolate(x[None,None],size=(3,2),mode='area')
F.local_response_norm(x[None],2)
F.logsigmoid(x)
F.lp_pool1d(x[None],2,2)
F.margin_ranking_loss(x[:,0],x[:,1],torch.ones(5))
F.max_unpool1d(*F.max_pool1d(x[None],2,return_indices=True),2)
F.max_pool2d(x[None],2,return_indices=True)[0]
F.multi_margin_loss(x,torch.tensor([0,1,2,3,0]))
F.multilabel_margin_loss(x,torch.tensor([[0,1,-1,-1]]*5))
F.multilabel_soft_margin_loss(x,torch.ones(5,4))
F.normalize(x)
F.one_hot(torch.tensor([1,2]),4)*x[:2]
F.pad(x,(1,1),mode='constant',value=2.)
F.pad(x[None],(1,1),mode='circular')
F.pixel_shuffle(x.reshape(1,4,5,1),2)
F.pixel_unshuffle(x[None,:4],2)
F.poisson_nll_loss(x,x.detach().abs())
F.rms_norm(x,(4,))
F.rrelu(x,training=False)
F.scaled_dot_product_attention(x[None],x[None],x[None],is_causal=True)
F.soft_margin_loss(x,torch.ones(5,4))
F.softmin(x,1)
F.softsign(x)
F.tanhshrink(x)
F.triplet_margin_loss(x,x*2,x*3)
F.triplet_margin_with_distance_loss(x,x*2,x*3)
F.unfold(x[None,None],2)
F.channel_shuffle(x.reshape(1,4,5,1),2)
x.as_strided((2,2),(1,2))
x.index_fill(0,torch.tensor([1]),0.5)
x.masked_fill(x>0,1.0)
x.new_zeros(3)+x[0,0]
x.view(torch.int32).sum()*x
x.bernoulli(0.5)*x
x.clamp(torch.zeros(4),torch.ones(4))
x.expand_as(torch.zeros(2,5,4))
x.flip(0)
x.logcumsumexp(0)
x.multiply(2)
x.nonzero().float().sum()*x
x.ravel()
x.sum_to_size(1,4)
x.topk(2)[0]
x.type(torch.float64).float()
x.unsqueeze(0).repeat(2,1,1)
x.where(x>0,torch.zeros(()))
x.index_copy(0,torch.tensor([1]),x[:1])
x.scatter(1,torch.zeros(5,1,dtype=torch.long),2.0)
x.to_sparse().to_dense()
x.requires_grad_().detach()*x
torch.bincount((x[0]>0).long(),minlength=3)*x.sum()
torch.func.vmap(lambda r: r.sin()*r.sum())(x)
torch.vmap(lambda r: F.softmax(r,0))(x)
nn.utils.rnn.pad_sequence([x[:2],x[:3]],batch_first=True)
torch.nn.functional.multi_head_attention_forward(x[:,None],x[:,None],x[:,None],4,2,torch.ones(12,4),torch.zeros(12),None,None,False,0.0,torch.eye(4),torch.zeros(4))[0]
torch.distributions.Normal(x,1.0).log_prob(x*2)
torch.distributions.Categorical(logits=x).entropy()
torch.distributions.Beta(x.abs()+1,x.abs()+2).log_prob(torch.tensor(0.3))
torch.distributions.Dirichlet(x.abs()+1).log_prob(torch.full((4,),0.25))
torch.distributions.Gamma(x.abs()+1,1.0).rsample()*0+x
torch.distributions.kl_divergence(torch.distributions.Normal(x,1.0),torch.distributions.Normal(0.0,2.0))
torch.distributions.StudentT(3.0,x).log_prob(x*2)
torch.distributions.VonMises(x,1.0).log_prob(x*2)
torch.distributions.LowRankMultivariateNormal(x[0],x.T[:,:2],torch.ones(4)).log_prob(x)
torch.distributions.MixtureSameFamily(torch.distributions.Categorical(logits=x),torch.distributions.Normal(x,1.0)).log_prob(torch.ones(5))
torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5),logits=x).rsample()*0+x
torch.distributions.Multinomial(4,logits=x).log_prob(torch.ones(5,4))
torch.distributions.Poisson(x.exp()).log_prob(torch.ones(5,4))
torch.distributions.LogNormal(x,1.0).log_prob(torch.ones(5,4))
torch.distributions.Independent(torch.distributions.Normal(x,1.0),1).log_prob(x*2)
torch.distributions.TransformedDistribution(torch.distributions.Normal(x,1.0),[torch.distributions.transforms.TanhTransform()]).log_prob(torch.full((5,4),0.3))
torch.addbmm(torch.zeros(5,3)+x[0,0],torch.stack([x,x*2]),torch.ones(2,4,3)*x[1,1],beta=0.5,alpha=2)
torch.cov(x[0],correction=0)
x.corrcoef()
torch.diagonal_scatter(x,x[0,:3],offset=1)
torch.diagonal_scatter(x,x[:4,0],offset=-1)
(x@x.T).fill_diagonal_(0.5)
(x@x.T).clone().fill_diagonal_(-1e9).logsumexp(1)
torch.fake_quantize_per_tensor_affine(x,0.1,3,-8,7)
torch.fake_quantize_per_tensor_affine(x,torch.tensor(0.05),torch.tensor(1,dtype=torch.int32),0,15)
torch.fake_quantize_per_channel_affine(x,torch.tensor([0.1,0.2,0.3,0.05]),torch.zeros(4,dtype=torch.int32),1,-8,7)
torch.linalg.vector_norm(x,ord=0.5)
torch.linalg.vector_norm(x,ord=float('-inf'),dim=0)
torch.linalg.vector_norm(x,ord=0)*x.sum()
torch.norm(torch.cat([x,torch.zeros(1,4)]),p=3,dim=1)
torch.nn.functional.normalize(x,p=3)
torch.matrix_exp(torch.stack([x[:4],x[1:]])*3)
F.pdist(x,p=1)
torch.cdist(x,x*2+1,p=3)
F.pairwise_distance(x,x*2,p=3)
torch.special.log_ndtr(x*10)
F.max_unpool2d(*F.max_pool2d(x[None,None],2,return_indices=True),2,output_size=(5,4))
F.max_unpool3d(*F.max_pool3d(x.reshape(1,1,5,2,2),(1,2,2),return_indices=True),(1,2,2))
F.max_pool2d(x[None,None],2,return_indices=True)[1]*x.sum()
torch.slice_scatter(x,x[:2]*2,0,0,5,3)
""".strip().splitlines()
NAMES = {"torch": torch, "nn": nn, "F": F}


class Function(nn.Module):
    def __init__(self, expression):
        super().__init__()
        self.function = eval(f"lambda x: {expression}", NAMES)
        self.operand = nn.Parameter(torch.randn(5, 4, generator=torch.Generator().manual_seed(0)))

    def forward(self, one):
        result = self.function(self.operand * one)
        result = result.real if result.is_complex() else result
        return (result * torch.linspace(0.5, 1.5, max(result.numel(), 1)).reshape(result.shape)).sum()


def expected(module):
    """In float64, or in float32 where a function has no other."""
    for dtype in (torch.float64, torch.float32):
        exact = copy.deepcopy(module).to(dtype)
        try:
            loss = exact(torch.ones((), dtype=dtype))
            loss.backward()
            return loss.detach(), exact.operand.grad
        except RuntimeError:
            continue
    return None


def distance(ours, theirs):
    return float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1e-3))


def said_of(expression):
    """What is to be said of a function; empty where it is PyTorch's."""
    module = Function(expression)
    known = expected(module)
    if known is None:
        return "PyTorch has no gradient"
    try:
        loss = mpc_compiler.wrap(module)(torch.ones(()))
        loss.backward()
    except mpc_compiler.Error as error:
        return str(error).splitlines()[0][:160]
    far = max(distance(loss.detach(), known[0]), distance(module.operand.grad, known[1]))
    return "" if far < 1e-5 else f"differs by {far:.1e}"


def main():
    warnings.simplefilter("ignore")
    words, right, chosen = sys.argv[1:], 0, 0
    for expression in FUNCTIONS:
        if not words or any(word in expression for word in words):
            said = said_of(expression)
            chosen, right = chosen + 1, right + (not said)
            if said:
                print(f"{expression}: {said}", flush=True)
    print(f"{right} of {chosen} as PyTorch has them")


if __name__ == "__main__":
    main()
